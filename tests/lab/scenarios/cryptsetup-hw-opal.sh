#!/bin/bash
# cryptsetup formats, opens, closes and erases LUKS volumes whose ranges the drive encrypts; sedkit
# knows whose the range is, and leaves it alone.
# drive: a --size 256MiB --serial LAB001
# time: 180
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'volume key'
quick='--pbkdf pbkdf2 --pbkdf-force-iterations 1000 --batch-mode'

format() {
    # The options are words of ours.
    # shellcheck disable=SC2086
    printf 'Admin-Horse-7' | cryptsetup luksFormat --type luks2 "$1" $quick --key-file key "$disk"
}

for kind in --hw-opal-only --hw-opal; do
    check "luksFormat $kind" format $kind
    true_of 'the drive has an owner' a .state.owned
    true_of 'range 1 is set up' a "$(range 1) | .range_length > 0"
    locked a 1
    first=$(truth a "$(range 1) | .range_start / 8")
    denied "$disk" "$first"

    check 'open' cryptsetup open --key-file key "$disk" volume
    unlocked a 1
    check 'blocks are written' fill /dev/mapper/volume 100 64 1
    check 'and read' holds /dev/mapper/volume 100 64 1
    if [[ $kind == --hw-opal ]]; then
        refuse 'dm-crypt stands before the drive' holds "$disk" $((first + 100)) 64 1
    else
        check 'nothing but the drive encrypts' holds "$disk" $((first + 100)) 64 1
    fi
    check 'sedkit sees the volume' sedkit info --json "$node"
    equal 'and names it as the owner of range 1' \
        "1 ${controller}n1 $(cryptsetup luksUUID "$disk")" \
        "$(json '.. | .luks? // empty | .[] | "\(.range) \(.node) \(.uuid)"')"

    check 'close' cryptsetup close volume
    locked a 1
    denied "$disk" "$first"
    secret admin 'Admin-Horse-7'
    check 'sedkit unlocks what is not LUKS' sedkit unlock "$node" --key file:admin --json
    equal 'and leaves range 1 alone' 1 "$(json '.drives[0].left_alone[].range')"
    locked a 1
    check 'a named range is not unlocked' \
        exits 7 sedkit unlock "$node" --range 1 --key file:admin
    said 'used by LUKS' "range 1 is used by LUKS on ${controller}n1"
    said 'which cryptsetup unlocks' 'cryptsetup open'
    locked a 1
    check 'but by force' sedkit unlock "$node" --range 1 --key file:admin --force
    unlocked a 1
    check 'lock by force' sedkit lock "$node" --range 1 --key file:admin --force
    locked a 1
    check 'force needs no number' sedkit unlock "$node" --key file:admin --force --json
    equal 'and leaves nothing alone' '' "$(json '.drives[0].left_alone[].range')"
    unlocked a 1
    check 'a named range is not locked' \
        exits 7 sedkit lock "$node" --range 1 --key file:admin
    said 'since it belongs to LUKS' LUKS
    unlocked a 1
    check 'but by force' sedkit lock "$node" --range 1 --key file:admin --force
    locked a 1

    power_cycle a
    locked a 1
    check 'open again' cryptsetup open --key-file key "$disk" volume
    check 'the blocks are what they were' holds /dev/mapper/volume 100 64 1
    check 'close' cryptsetup close volume

    check 'erase' cryptsetup erase --batch-mode --key-file admin "$disk"
    true_of 'range 1 is gone' a 'all(.state.ranges[]; .range != 1 or .range_length == 0)'
    refuse 'so is the volume' cryptsetup open --key-file key "$disk" volume
    wipefs --quiet --all "$disk"
done

check 'luksFormat of an owned drive' format --hw-opal-only
secret psid "$(psid a)"
check 'factory reset by the PSID' \
    cryptsetup erase --hw-opal-factory-reset --batch-mode --key-file psid "$disk"
true_of 'nobody owns the drive' a '.state.owned == false'
