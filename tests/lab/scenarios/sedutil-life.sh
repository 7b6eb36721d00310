#!/bin/bash
# The life of a drive in the hands of sedutil-cli, from the first owner to the label's PSID.
# drive: a --size 64MiB --serial LAB001
# time: 180
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1

check 'scan finds an Opal 2 drive' sedutil-cli --scan
contains 'on its node' "$node" "$(grep ' 2 ' /tmp/output)"
check 'query' sedutil-cli --query "$node"
contains 'it is Opal 2' 'OPAL 2.0' "$(tr '[:lower:]' '[:upper:]' </tmp/output | sed 's/OPAL V2/OPAL 2/')"
said 'not enabled yet' 'LockingEnabled = N'
check 'the default password is shown' sedutil-cli --printDefaultPassword "$node"
contains 'it is the MSID of the label' "$(msid a)" "$(</tmp/output)"

check 'initialSetup' sedutil-cli --initialSetup secret "$node"
true_of 'the drive has an owner' a .state.owned
true_of 'its Locking SP is active' a '.state.locking_sp == "Manufactured"'
true_of 'the shadow MBR is enabled' a .state.mbr_enabled

pattern 16 3 >image
check 'loadPBAimage' sedutil-cli --loadPBAimage secret image "$node"
check 'setMBRDone off' sedutil-cli --setMBRDone off secret "$node"
true_of 'the shadow MBR shows' a '.state.mbr_done == false'
check 'the disk begins with the image' holds "$disk" 0 16 3
check 'setMBRDone on' sedutil-cli --setMBRDone on secret "$node"
true_of 'the shadow MBR is hidden' a .state.mbr_done
refuse 'the disk does not begin with the image any more' holds "$disk" 0 16 3

check 'enableLockingRange' sedutil-cli --enableLockingRange 0 secret "$node"
check 'blocks are written' fill "$disk" 4000 8 1
check 'setLockingRange LK' sedutil-cli --setLockingRange 0 LK secret "$node"
locked a 0
denied "$disk" 4000
check 'setLockingRange RO' sedutil-cli --setLockingRange 0 RO secret "$node"
check 'reads are answered' holds "$disk" 4000 8 1
refuse 'writes are not' writable "$disk" 4000
check 'setLockingRange RW' sedutil-cli --setLockingRange 0 RW secret "$node"
unlocked a 0

power_cycle a
locked a 0
true_of 'the shadow MBR shows again' a '.state.mbr_done == false'
check 'the disk begins with the image' holds "$disk" 0 16 3
check 'unlock after power' sedutil-cli --setLockingRange 0 RW secret "$node"
check 'and hide the shadow MBR' sedutil-cli --setMBRDone on secret "$node"
check 'the blocks are what they were' holds "$disk" 4000 8 1

check 'setupLockingRange' sedutil-cli --setupLockingRange 1 65536 16384 secret "$node"
true_of 'the range is where it was asked for' a \
    "$(range 1) | .range_start == 65536 and .range_length == 16384"
check 'listLockingRanges' sedutil-cli --listLockingRanges secret "$node"
check 'enableLockingRange of range 1' sedutil-cli --enableLockingRange 1 secret "$node"
check 'range 1 is unlocked' sedutil-cli --setLockingRange 1 RW secret "$node"
check 'blocks are written there' fill "$disk" 8192 8 2
check 'enableuser' sedutil-cli --enableuser secret user1 "$node"
check 'setPassword of that user' sedutil-cli --setPassword secret user1 usersecret "$node"
check 'rekeyLockingRange' sedutil-cli --rekeyLockingRange 1 secret "$node"
refuse 'the range holds nothing any more' holds "$disk" 8192 8 2
check 'the rest does' holds "$disk" 4000 8 1

refuse 'a wrong password is refused' sedutil-cli --setLockingRange 0 LK wrong "$node"
unlocked a 0

check 'revertNoErase' sedutil-cli --revertNoErase secret "$node"
true_of 'the Locking SP is inactive' a '.state.locking_sp == "Manufactured-Inactive"'
true_of 'the drive still has an owner' a .state.owned
check 'the data have stayed' holds "$disk" 4000 8 1
check 'revertTPer' sedutil-cli --revertTPer secret "$node"
true_of 'nobody owns the drive' a '.state.owned == false'

check 'initialSetup once more' sedutil-cli --initialSetup other "$node"
check 'PSIDrevert' sedutil-cli --PSIDrevert "$(psid a)" "$node"
true_of 'nobody owns the drive' a '.state.owned == false'
refuse 'the data are gone' holds "$disk" 4000 8 1
