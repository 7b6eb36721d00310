#!/bin/bash
# How many IF commands the same task costs sedkit, sedutil-cli, nvme-cli and cryptsetup: a fresh
# drive for each, counted by the drive. sedkit keeps within its budget, and needs no more than any
# of them. `make bench` keeps the table, which is all the lines that begin with a bar.
# drive: a --size 64MiB --serial LAB001
# drive: b --size 64MiB --serial LAB002
# drive: c --size 64MiB --serial LAB003
# drive: d --size 64MiB --serial LAB004
# time: 400
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

declare -A node cost
for drive in a b c d; do
    attach "$drive"
    node[$drive]=/dev/$controller
done
secret key 'Correct-Horse-7'
secret volume 'volume key'

# The programs, each on its own drive.
by_sedkit() { sedkit "$@" "${node[a]}"; }
by_sedutil() { sedutil-cli -n "$@" "${node[b]}"; }
by_nvme() { nvme_sed "${node[c]}n1" "$@"; }
by_cryptsetup() { cryptsetup --batch-mode --key-file "$@"; }
format() {
    by_cryptsetup volume luksFormat --type luks2 --hw-opal-only --pbkdf pbkdf2 \
        --pbkdf-force-iterations 1000 "${node[d]}n1" <key
}

# counting PROGRAM COMMAND...: what the command costs goes into the program's column
counting() {
    local program=$1 drive before
    case $program in sedkit) drive=a ;; sedutil) drive=b ;; nvme) drive=c ;; *) drive=d ;; esac
    before=$(counted "$drive")
    check "$program: $task" "${@:2}"
    cost[$program]=$((${cost[$program]:-0} + $(counted "$drive") - before))
}

# row BUDGET: ends a task
row() {
    local program
    for program in sedutil nvme cryptsetup; do
        ((cost[sedkit] <= ${cost[$program]:-${cost[sedkit]}})) ||
            not_ok "sedkit needs no more than $program" "${cost[sedkit]} against ${cost[$program]}"
    done
    ((cost[sedkit] <= $1)) || not_ok "sedkit keeps to its budget" "${cost[sedkit]} against $1"
    echo "ok - sedkit keeps to its budget, and needs no more than any other"
    table+=("| $task | $1 | ${cost[sedkit]} | ${cost[sedutil]:-–} | ${cost[nvme]:-–} | ${cost[cryptsetup]:-–} |")
    cost=()
}

# lose_power DRIVE
lose_power() {
    controller=${node[$1]#/dev/}
    power_cycle "$1"
}

table=('| task | budget | sedkit | sedutil-cli | nvme-cli | cryptsetup |' '|---|---:|---:|---:|---:|---:|')

task='discovery'
counting sedkit by_sedkit scan
counting sedutil by_sedutil --query
counting nvme by_nvme discover
row 1

task='setup from factory state'
counting sedkit by_sedkit setup --new-key file:key
counting sedutil by_sedutil --initialSetup 'Correct-Horse-7'
counting sedutil by_sedutil --enableLockingRange 0 'Correct-Horse-7'
counting nvme by_nvme initialize 'Correct-Horse-7' 'Correct-Horse-7'
counting cryptsetup format
row 26

# sedutil-cli leaves a shadow MBR, which is a task of its own below.
check 'the shadow MBR is off' by_sedutil --setMBREnable off 'Correct-Horse-7'
for drive in a b c d; do
    lose_power "$drive"
done
task='unlock range 0, or a volume'
counting sedkit by_sedkit unlock --range 0 --key file:key
counting sedutil by_sedutil --setLockingRange 0 RW 'Correct-Horse-7'
counting nvme by_nvme 'unlock --ask-key' 'Correct-Horse-7'
counting cryptsetup by_cryptsetup volume open "${node[d]}n1" volume
row 7
for drive in a b c; do unlocked "$drive" 0; done
unlocked d 1

task='lock range 0, or a volume'
counting sedkit by_sedkit lock --range 0 --key file:key
counting sedutil by_sedutil --setLockingRange 0 LK 'Correct-Horse-7'
counting nvme by_nvme 'lock --ask-key' 'Correct-Horse-7'
counting cryptsetup cryptsetup close volume
row 8
for drive in a b c; do locked "$drive" 0; done
locked d 1

# sedutil-cli never looks whether the range is free, and always gives it a new key.
place=(--start 8192 --length 4096 --key file:key --confirm LAB001)
task='set up a range, read back'
counting sedkit by_sedkit range create --range 1 --assume-free "${place[@]}"
counting sedutil by_sedutil --setupLockingRange 1 8192 4096 'Correct-Horse-7'
row 9
place[1]=16384
task='set up a range that is free, with a new key'
counting sedkit by_sedkit range create --range 2 "${place[@]}"
counting sedutil by_sedutil --setupLockingRange 2 16384 4096 'Correct-Horse-7'
row 13

# A quarter of the table, and of its budget; sedutil-cli does not read back what it has written.
head -c $((32 << 20)) /dev/urandom >image
task='load 32 MiB into the shadow MBR'
counting sedkit sedkit mbr load "${node[a]}" image --no-verify --key file:key --confirm LAB001
counting sedutil by_sedutil --loadPBAimage 'Correct-Horse-7' image
row 1100
task='load the same 32 MiB again'
counting sedkit sedkit mbr load "${node[a]}" image --key file:key --confirm LAB001
counting sedutil by_sedutil --loadPBAimage 'Correct-Horse-7' image
row 1100

for drive in a b; do
    check "drive $drive gets a shadow MBR" \
        sedutil-cli -n --setMBREnable on 'Correct-Horse-7' "${node[$drive]}"
    lose_power "$drive"
    locked "$drive" 0
    true_of "and it shows" "$drive" '.state | .mbr_enabled and (.mbr_done | not)'
done
# nvme-cli and cryptsetup know nothing of it.
task='unlock range 0 and hide the shadow MBR'
counting sedkit by_sedkit unlock --range 0 --key file:key --mbr-done
counting sedutil by_sedutil --setLockingRange 0 RW 'Correct-Horse-7'
counting sedutil by_sedutil --setMBRDone on 'Correct-Horse-7'
row 9
for drive in a b; do
    unlocked "$drive" 0
    true_of "the shadow MBR of $drive is hidden" "$drive" .state.mbr_done
done

# sedkit looks at the drive afterwards; nvme-cli must be told to, and the others cannot.
task='revert by the PSID, checked'
for drive in a d; do secret "psid-$drive" "$(psid "$drive")"; done
counting sedkit by_sedkit revert --psid file:psid-a --confirm LAB001
counting sedutil by_sedutil --PSIDrevert "$(psid b)"
counting nvme by_nvme 'revert --psid' y "y$(psid c)"
counting nvme by_nvme discover
counting cryptsetup by_cryptsetup psid-d erase --hw-opal-factory-reset "${node[d]}n1"
row 7
for drive in a b c d; do true_of "nobody owns drive $drive" "$drive" '.state.owned == false'; done

# The budget is that of a setup, and of a range that is set up, eight times.
task='setup with eight more ranges'
arguments=()
for range in {1..8}; do arguments+=(--range $((range * 8192))+4096); done
counting sedkit by_sedkit setup --new-key file:key "${arguments[@]}" --confirm LAB001
counting sedutil by_sedutil --initialSetup 'Correct-Horse-7'
counting sedutil by_sedutil --enableLockingRange 0 'Correct-Horse-7'
for range in {1..8}; do
    counting sedutil by_sedutil --setupLockingRange "$range" $((range * 8192)) 4096 'Correct-Horse-7'
    counting sedutil by_sedutil --enableLockingRange "$range" 'Correct-Horse-7'
done
row 98

# With ranges of its own, setup leaves range 0 open.
check 'range 0 of drive a locks too' \
    sedutil-cli -n --enableLockingRange 0 'Correct-Horse-7' "${node[a]}"
check 'drive a gets a shadow MBR' sedutil-cli -n --setMBREnable on 'Correct-Horse-7' "${node[a]}"
for drive in a b; do
    lose_power "$drive"
    for range in {0..8}; do locked "$drive" "$range"; done
done
task='unlock nine ranges and hide the shadow MBR'
arguments=()
for range in {0..8}; do arguments+=(--range "$range"); done
counting sedkit by_sedkit unlock --key file:key --mbr-done "${arguments[@]}"
for range in {0..8}; do
    counting sedutil by_sedutil --setLockingRange "$range" RW 'Correct-Horse-7'
done
counting sedutil by_sedutil --setMBRDone on 'Correct-Horse-7'
row 25
for drive in a b; do
    for range in {0..8}; do unlocked "$drive" "$range"; done
    true_of "the shadow MBR of $drive is hidden" "$drive" .state.mbr_done
done

printf '%s\n' "${table[@]}"
