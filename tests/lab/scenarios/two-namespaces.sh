#!/bin/bash
# A drive with two namespaces is one drive: one lock, and one try for one wrong passphrase.
# drive: a --size 64MiB --serial LAB001 --namespaces 2
# time: 90
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
check 'the second namespace appears' patiently test -b "${node}n2"
equal 'each has half of the drive' '33554432 33554432' \
    "$(blockdev --getsize64 "${node}n1" "${node}n2" | xargs)"
check 'scan answers' sedkit scan --json
equal 'it shows one drive' LAB001 "$(json '[.drives[].serial] | join(" ")')"

secret key 'Correct-Horse-7'
secret wrong 'Wrong-Horse-77'
check 'setup by the second namespace' sedkit setup "${node}n2" --new-key file:key
check 'blocks of the first are written' fill "${node}n1" 100 8 1
check 'blocks of the second are written' fill "${node}n2" 100 8 2
check 'the first holds its own' holds "${node}n1" 100 8 1
check 'the second holds its own' holds "${node}n2" 100 8 2

check 'lock by the first namespace' sedkit lock "${node}n1" --key file:key
locked a 0
denied "${node}n1" 100
denied "${node}n2" 100

before=$(refusals)
refuse 'a wrong passphrase for all nodes is refused' \
    sedkit unlock "$node" "${node}n1" "${node}n2" --key file:wrong
equal 'it has cost one try' 1 $(($(refusals) - before))

check 'unlock by all nodes' sedkit unlock "$node" "${node}n1" "${node}n2" --key file:key
unlocked a 0
check 'the first holds its own' holds "${node}n1" 100 8 1
check 'the second holds its own' holds "${node}n2" 100 8 2
