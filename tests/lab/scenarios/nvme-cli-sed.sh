#!/bin/bash
# nvme-cli sets up, locks and unlocks through the kernel's sed-opal; sedkit works on the result.
# drive: a --size 64MiB --serial LAB001
# time: 120
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1

check 'discover' nvme sed discover "$disk"
check 'initialize' nvme_sed "$disk" initialize 'Correct-Horse-7' 'Correct-Horse-7'
true_of 'the drive has an owner' a .state.owned
true_of 'its Locking SP is active' a '.state.locking_sp == "Manufactured"'
check 'blocks are written' fill "$disk" 4000 8 1

check 'lock' nvme_sed "$disk" 'lock --ask-key' 'Correct-Horse-7'
locked a 0
denied "$disk" 4000
refuse 'a wrong key is refused' nvme_sed "$disk" 'unlock --ask-key' 'Wrong-Horse-77'
locked a 0
check 'unlock' nvme_sed "$disk" 'unlock --ask-key' 'Correct-Horse-7'
unlocked a 0
check 'the blocks are what they were' holds "$disk" 4000 8 1

secret key 'Correct-Horse-7'
power_cycle a
locked a 0
check 'sedkit unlocks' sedkit unlock "$node" --key file:key --scheme raw
unlocked a 0
check 'sedkit locks' sedkit lock "$node" --key file:key --scheme raw
locked a 0
check 'nvme-cli unlocks' nvme_sed "$disk" 'unlock --ask-key' 'Correct-Horse-7'
unlocked a 0

check 'password' nvme_sed "$disk" password 'Correct-Horse-7' 'Second-Horse-8' 'Second-Horse-8'
secret second 'Second-Horse-8'
check 'sedkit locks by the new one' sedkit lock "$node" --key file:second --scheme raw
locked a 0
check 'nvme-cli unlocks by it' nvme_sed "$disk" 'unlock --ask-key' 'Second-Horse-8'
unlocked a 0

# `password` has changed that of Admin1 alone, so `revert`, which acts as Admin1 and then as SID
# with one and the same, stops half-way.
refuse 'revert by the new one' nvme_sed "$disk" revert 'Second-Horse-8'
said 'is not what SID has' 'Not Authorized'
true_of 'the Locking SP is reverted' a '.state.locking_sp == "Manufactured-Inactive"'
true_of 'the drive still has an owner' a .state.owned
check 'sedkit reverts the rest by the first one' \
    sedkit revert "$node" --key file:key --scheme raw --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'

check 'initialize once more' nvme_sed "$disk" initialize 'Correct-Horse-7' 'Correct-Horse-7'
true_of 'the drive has an owner' a .state.owned
check 'blocks are written' fill "$disk" 4000 8 2
check 'revert' nvme_sed "$disk" revert 'Correct-Horse-7'
true_of 'nobody owns the drive' a '.state.owned == false'
check 'it keeps the key of range 0, and so the data' holds "$disk" 4000 8 2

check 'initialize for the third time' nvme_sed "$disk" initialize 'Correct-Horse-7' 'Correct-Horse-7'
true_of 'the drive has an owner' a .state.owned
check 'revert by the PSID' nvme_sed "$disk" 'revert --psid' y "y$(psid a)"
true_of 'nobody owns the drive' a '.state.owned == false'
refuse 'the data are gone' holds "$disk" 4000 8 2
