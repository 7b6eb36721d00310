#!/bin/bash
# kill -9 of the serving process in the middle of writes: what was flushed is there, the kernel
# goes on where it was, and the TPer has kept its state.
# drive: a --size 128MiB --serial LAB001
# time: 150
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1

for round in 1 2 3 4; do
    check "round $round: blocks are written and flushed" fill "$disk" 0 256 "$round"
    fill "$disk" 1000 2000 "$round" &
    writer=$!
    sleep "0.$((round * 23))"
    check 'the server is killed in the middle of writes' host server kill
    check 'and started again' host server start
    check 'the writes end well' wait "$writer"
    check 'the kernel is connected' live
    check 'what was flushed before is there' holds "$disk" 0 256 "$round"
    check 'so is what was written meanwhile' holds "$disk" 1000 2000 "$round"
done

secret key 'Correct-Horse-7'
check 'setup' sedkit setup "$node" --new-key file:key
check 'lock' sedkit lock "$node" --key file:key
check 'the server is killed' host server kill
check 'and started again' host server start
check 'the kernel is connected again' patiently live
true_of 'the drive has its owner' a .state.owned
locked a 0
denied "$disk" 0
check 'the passphrase unlocks' sedkit unlock "$node" --key file:key
unlocked a 0
check 'the blocks are what they were' holds "$disk" 0 256 4
