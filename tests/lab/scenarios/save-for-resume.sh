#!/bin/bash
# The kernel takes the key that sedkit gives it for the time after suspend.
# drive: a --size 64MiB --serial LAB001
# time: 60
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'Correct-Horse-7'
check 'setup' sedkit setup "$node" --new-key file:key
power_cycle a
locked a 0

check 'unlock, and save the key for resume' \
    sedkit unlock "$node" --key file:key --save-for-resume --json
equal 'the kernel has taken it' true "$(json '.drives[0].saved_for_resume')"
unlocked a 0
check 'the kernel can read' readable "$disk" 100

check 'on an unlocked drive too' sedkit unlock "$node" --key file:key --save-for-resume --json
equal 'the kernel has taken it' true "$(json '.drives[0].saved_for_resume')"
unlocked a 0
