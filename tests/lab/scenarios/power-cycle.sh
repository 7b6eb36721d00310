#!/bin/bash
# Loss of power locks the drive, and nothing less does: neither a reset of the controller nor a
# new connection.
# drive: a --size 64MiB --serial LAB001
# time: 120
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'Correct-Horse-7'
check 'setup' sedkit setup "$node" --new-key file:key
check 'blocks are written' fill "$disk" 100 16 5

echo 1 >"/sys/class/nvme/$controller/reset_controller"
check 'the controller comes back after a reset' patiently live
unlocked a 0
check 'the blocks can be read' holds "$disk" 100 16 5

detach "$controller"
refuse 'the node goes with the connection' test -e "$disk"
attach a
node=/dev/$controller
disk=${node}n1
unlocked a 0
check 'the blocks can be read' holds "$disk" 100 16 5

power_cycle a
locked a 0
denied "$disk" 100
check 'the node has stayed' test -b "$disk"
check 'sedkit sees it locked' sedkit info --json "$node"
equal 'in Level 0' locked "$(json '.drives[0].state.locking')"

check 'unlock' sedkit unlock "$node" --key file:key
unlocked a 0
check 'the blocks are what they were' holds "$disk" 100 16 5

# In the middle of writes: the kernel repeats what was not answered, and finds the drive locked.
(while fill "$disk" 0 4000 9 2>/dev/null; do :; done) &
writer=$!
sleep 0.2
power_cycle a
check 'writes end with an error' wait "$writer"
locked a 0
check 'unlock' sedkit unlock "$node" --key file:key
check 'the kernel can write again' fill "$disk" 0 4000 9
check 'and read' holds "$disk" 0 4000 9
