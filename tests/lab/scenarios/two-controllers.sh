#!/bin/bash
# A drive with two controllers is one drive: one disk, and one try for one wrong passphrase.
# drive: a --size 64MiB --serial LAB001
# time: 90
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
first=$controller
check 'the kernel connects once more' connect a duplicate_connect
second=$controller
disk=/dev/${first}n1
check 'there are two controllers' test "$first" != "$second" -a -c "/dev/$first" -a -c "/dev/$second"
paths() { [[ $(compgen -G "/sys/block/$1/multipath/*" | wc -l) == "$2" ||
    $(compgen -G "/sys/class/nvme-subsystem/nvme-subsys*/nvme[0-9]" | wc -l) == "$2" ]]; }
check 'of one subsystem' patiently paths "${first}n1" 2
equal 'and one disk' 1 "$(compgen -G '/dev/nvme*n1' | wc -l)"
check 'scan answers' sedkit scan --json
equal 'it shows one drive' LAB001 "$(json '[.drives[].serial] | join(" ")')"

secret key 'Correct-Horse-7'
secret wrong 'Wrong-Horse-77'
check 'setup by the first controller' sedkit setup "/dev/$first" --new-key file:key
check 'blocks are written' fill "$disk" 100 8 1
check 'lock by the second controller' sedkit lock "/dev/$second" --key file:key
locked a 0
denied "$disk" 100

before=$(refusals)
refuse 'a wrong passphrase for both is refused' \
    sedkit unlock "/dev/$first" "/dev/$second" --key file:wrong
equal 'it has cost one try' 1 $(($(refusals) - before))

check 'unlock by the first controller' sedkit unlock "/dev/$first" --key file:key
unlocked a 0
detach "$first"
check 'the disk outlives its first controller' holds "$disk" 100 8 1
