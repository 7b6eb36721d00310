#!/bin/bash
# A drive that sedutil-cli has set up is unlocked by sedkit with the same passphrase, and moved to
# one that firmware prompts can type.
# drive: a --size 64MiB --serial LAB001
# time: 90
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1

check 'sedutil-cli sets up' sedutil-cli --initialSetup 'open sesame' "$node"
check 'and enables locking' sedutil-cli --enableLockingRange 0 'open sesame' "$node"
check 'and hides the shadow MBR' sedutil-cli --setMBRDone on 'open sesame' "$node"
check 'blocks are written' fill "$disk" 4000 8 1
power_cycle a
locked a 0

secret old 'open sesame'
secret new 'Correct-Horse-7'
refuse 'the bare passphrase is refused' sedkit unlock "$node" --key file:old --scheme raw
locked a 0
check 'sedkit unlocks' sedkit unlock "$node" --key file:old --scheme sedutil --mbr-done
unlocked a 0
true_of 'and hides the shadow MBR' a .state.mbr_done
check 'the blocks are what they were' holds "$disk" 4000 8 1

check 'the passphrase is changed' sedkit passwd "$node" --as Admin1 --also SID \
    --key file:old --scheme sedutil --new-key file:new --new-scheme firmware
power_cycle a
locked a 0
refuse 'the old one is refused' sedkit unlock "$node" --key file:old --scheme sedutil
refuse 'sedutil-cli cannot unlock by it' sedutil-cli --setLockingRange 0 RW 'open sesame' "$node"
locked a 0
check 'the new one unlocks' sedkit unlock "$node" --key file:new --scheme firmware --mbr-done
check 'sedutil-cli takes it without hashing' sedutil-cli -n --setLockingRange 0 LK 'Correct-Horse-7' "$node"
locked a 0
