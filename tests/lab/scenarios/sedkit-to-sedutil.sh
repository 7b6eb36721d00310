#!/bin/bash
# A drive that sedkit has set up with sedutil's way of hashing is sedutil-cli's to work with.
# drive: a --size 64MiB --serial LAB001
# time: 90
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'open sesame'

check 'sedkit sets up' sedkit setup "$node" --new-key file:key --scheme sedutil
check 'blocks are written' fill "$disk" 4000 8 1
power_cycle a
locked a 0

check 'query sees it locked' sedutil-cli --query "$node"
said 'in Level 0' 'Locked = Y'
refuse 'a wrong password is refused' sedutil-cli --setLockingRange 0 RW wrong "$node"
locked a 0
check 'sedutil-cli unlocks' sedutil-cli --setLockingRange 0 RW 'open sesame' "$node"
unlocked a 0
check 'the blocks are what they were' holds "$disk" 4000 8 1
check 'it changes the passphrase of SID' sedutil-cli --setSIDPassword 'open sesame' second "$node"
check 'and of Admin1' sedutil-cli --setAdmin1Pwd 'open sesame' second "$node"
secret second second
check 'sedkit locks by the new one' sedkit lock "$node" --key file:second --scheme sedutil
locked a 0
check 'sedutil-cli reverts the drive' sedutil-cli --revertTPer second "$node"
true_of 'nobody owns the drive' a '.state.owned == false'
unlocked a 0
refuse 'the data are gone' holds "$disk" 4000 8 1
