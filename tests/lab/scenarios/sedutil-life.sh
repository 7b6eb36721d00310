#!/bin/bash
# The life of a drive in the hands of sedutil-cli, from the first owner to the label's PSID.
# drive: a --size 64MiB --serial LAB001
# time: 180
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
# Without its slow hashing, which the two scenarios after this one have.
sedutil() { sedutil-cli -n "$@" "$node"; }
# 1.20 has no place for the device among the arguments of --enableuser, and takes the name of the
# program for it.
enable_user() { (exec -a "$node" sedutil-cli -n --enableuser "$@"); }

check 'scan finds an Opal 2 drive' sedutil-cli --scan
contains 'on its node' "$node" "$(grep ' 2 ' /tmp/output)"
check 'query' sedutil --query
contains 'it is Opal 2' 'OPAL 2.0' "$(tr '[:lower:]' '[:upper:]' </tmp/output | sed 's/OPAL V2/OPAL 2/')"
said 'not enabled yet' 'LockingEnabled = N'
check 'the default password is shown' sedutil --printDefaultPassword
contains 'it is the MSID of the label' "$(msid a)" "$(</tmp/output)"

check 'initialSetup' sedutil --initialSetup secret
true_of 'the drive has an owner' a .state.owned
true_of 'its Locking SP is active' a '.state.locking_sp == "Manufactured"'
true_of 'the shadow MBR is enabled' a .state.mbr_enabled

pattern 16 3 >image
check 'loadPBAimage' sedutil --loadPBAimage secret image
check 'setMBRDone off' sedutil --setMBRDone off secret
true_of 'the shadow MBR shows' a '.state.mbr_done == false'
check 'the disk begins with the image' holds "$disk" 0 16 3
check 'setMBRDone on' sedutil --setMBRDone on secret
true_of 'the shadow MBR is hidden' a .state.mbr_done
refuse 'the disk does not begin with the image any more' holds "$disk" 0 16 3

check 'enableLockingRange' sedutil --enableLockingRange 0 secret
check 'blocks are written' fill "$disk" 4000 8 1
check 'setLockingRange LK' sedutil --setLockingRange 0 LK secret
locked a 0
denied "$disk" 4000
check 'setLockingRange RO' sedutil --setLockingRange 0 RO secret
check 'reads are answered' holds "$disk" 4000 8 1
refuse 'writes are not' writable "$disk" 4000
check 'setLockingRange RW' sedutil --setLockingRange 0 RW secret
unlocked a 0

power_cycle a
locked a 0
true_of 'the shadow MBR shows again' a '.state.mbr_done == false'
check 'the disk begins with the image' holds "$disk" 0 16 3
check 'unlock after power' sedutil --setLockingRange 0 RW secret
check 'and hide the shadow MBR' sedutil --setMBRDone on secret
check 'the blocks are what they were' holds "$disk" 4000 8 1

check 'setupLockingRange' sedutil --setupLockingRange 1 65536 16384 secret
true_of 'the range is where it was asked for' a \
    "$(range 1) | .range_start == 65536 and .range_length == 16384"
check 'listLockingRanges' sedutil --listLockingRanges secret
check 'enableLockingRange of range 1' sedutil --enableLockingRange 1 secret
check 'range 1 is unlocked' sedutil --setLockingRange 1 RW secret
check 'blocks are written there' fill "$disk" 8192 8 2
check 'setPassword of a user' sedutil --setPassword secret User1 usersecret
secret user usersecret
secret other othersecret
# The user proves itself by the change of its own PIN.
prove_user() {
    sedkit passwd "$node" --as User1 --key file:user --scheme raw --new-key file:other --new-scheme raw
}
refuse 'the user is not enabled yet' prove_user
check 'enableuser' enable_user secret User1
check 'the user is enabled' prove_user
check 'rekeyLockingRange' sedutil --rekeyLockingRange 1 secret
refuse 'the range holds nothing any more' holds "$disk" 8192 8 2
check 'the rest does' holds "$disk" 4000 8 1

refuse 'a wrong password is refused' sedutil --setLockingRange 0 LK wrong
unlocked a 0

check 'revertNoErase' sedutil --revertNoErase secret
true_of 'the Locking SP is inactive' a '.state.locking_sp == "Manufactured-Inactive"'
true_of 'the drive still has an owner' a .state.owned
check 'the data have stayed' holds "$disk" 4000 8 1
check 'revertTPer' sedutil --revertTPer secret
true_of 'nobody owns the drive' a '.state.owned == false'

check 'initialSetup once more' sedutil --initialSetup other
check 'PSIDrevert' sedutil --PSIDrevert "$(psid a)"
true_of 'nobody owns the drive' a '.state.owned == false'
refuse 'the data are gone' holds "$disk" 4000 8 1
