#!/bin/bash
# A disk that has TRUSTED SEND and RECEIVE behind ATA PASS-THROUGH, and no SECURITY PROTOCOL, as a
# SATA drive behind a bridge: sedkit finds the way by itself.
# time: 90
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh
# shellcheck source=tests/lab/guest/scsi.sh
source /lab/scsi.sh

serve_scsi --sat
denial='Input/output error'     # of ABORTED COMMAND
refuse 'SECURITY PROTOCOL IN is refused' \
    sg_raw --request=512 /dev/sda a2 01 00 01 00 00 00 00 02 00 00 00
said 'as an illegal request' 'Illegal Request'
check 'IDENTIFY DEVICE is answered' \
    sg_raw --request=512 /dev/sda 85 08 0e 00 00 00 01 00 00 00 00 00 00 00 ec 00

check 'scan answers' sedkit scan --json
equal 'it shows one drive' LAB001 "$(json '[.drives[].serial] | join(" ")')"
equal 'by ATA' sata "$(json '.drives[0].bus')"
secret key 'Correct-Horse-7'
check 'setup' sedkit setup /dev/sda --new-key file:key
true_of 'the drive has an owner' a .state.owned
check 'blocks are written' fill /dev/sda 1000 8 1
check 'lock by the sg node' sedkit lock /dev/sg0 --key file:key
locked a 0
denied /dev/sda 1000
check 'unlock' sedkit unlock /dev/sda --key file:key
unlocked a 0
check 'the blocks are what they were' holds /dev/sda 1000 8 1
power_cycle a
locked a 0
check 'unlock after power' sedkit unlock /dev/sda --key file:key
unlocked a 0
check 'the blocks are what they were' holds /dev/sda 1000 8 1
secret psid "$(psid a)"
check 'revert by the PSID' sedkit revert /dev/sda --psid file:psid --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'
refuse 'the data are gone' holds /dev/sda 1000 8 1
