#!/bin/bash
# A SCSI disk with SECURITY PROTOCOL IN and OUT: sedkit and sedutil-cli set it up, lock and unlock
# it through its disk node and its sg node.
# time: 150
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh
# shellcheck source=tests/lab/guest/scsi.sh
source /lab/scsi.sh

# shellcheck disable=SC2119
serve_scsi
check 'sg_inq reads the serial number' sg_inq --page=0x80 --len=64 /dev/sda
said 'it is that of the drive' LAB001
check 'sg_inq reads the identification' sg_vpd --page=di /dev/sda
said 'it has a NAA' NAA
equal 'the capacity is that of the drive' 67108864 "$(blockdev --getsize64 /dev/sda)"
check 'SECURITY PROTOCOL IN is offered' sg_opcodes --opcode=0xa2 /dev/sda
check 'Level 0 arrives' sg_raw --request=512 /dev/sda a2 01 00 01 00 00 00 00 02 00 00 00

check 'scan answers' sedkit scan --json
equal 'it shows one drive' LAB001 "$(json '[.drives[].serial] | join(" ")')"
equal 'by SCSI' scsi "$(json '.drives[0].bus')"
secret key 'Correct-Horse-7'
check 'setup by the disk node' sedkit setup /dev/sda --new-key file:key
true_of 'the drive has an owner' a .state.owned
check 'blocks are written' fill /dev/sda 1000 8 1
check 'lock by the sg node' sedkit lock /dev/sg0 --key file:key
locked a 0
denied /dev/sda 1000
refuse 'READ(10) fails' sg_raw --request=512 /dev/sda 28 00 00 00 1f 40 00 00 01 00
said 'with DATA PROTECT' 'Data Protect'
said 'for want of access rights' 'no access rights'
check 'unlock' sedkit unlock /dev/sda --key file:key
unlocked a 0
check 'the blocks are what they were' holds /dev/sda 1000 8 1
power_cycle a
locked a 0
denied /dev/sda 1000
check 'unlock after power' sedkit unlock /dev/sda --key file:key
check 'the blocks are what they were' holds /dev/sda 1000 8 1
secret psid "$(psid a)"
check 'revert by the PSID' sedkit revert /dev/sda --psid file:psid --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'

check 'sedutil-cli: query' sedutil-cli --query /dev/sda
check 'initialSetup' sedutil-cli --initialSetup secret /dev/sda
check 'enableLockingRange' sedutil-cli --enableLockingRange 0 secret /dev/sda
check 'setMBRDone' sedutil-cli --setMBRDone on secret /dev/sda
check 'blocks are written' fill /dev/sda 1000 8 2
check 'setLockingRange LK' sedutil-cli --setLockingRange 0 LK secret /dev/sda
locked a 0
denied /dev/sda 1000
secret words secret
# For SCSI disks sedutil-cli takes the vendor as salt, not the serial number.
check 'sedkit unlocks' sedkit unlock /dev/sda --key file:words --scheme sedutil --salt vendor
unlocked a 0
check 'the blocks are what they were' holds /dev/sda 1000 8 2
check 'revertTPer' sedutil-cli --revertTPer secret /dev/sda
true_of 'nobody owns the drive' a '.state.owned == false'
