#!/bin/bash
# sedkit sets up, locks and unlocks a drive through the kernel's own nodes, /dev/nvme0 and
# /dev/nvme0n1, and looks after partitions and mounts as it should.
# drive: a --size 256MiB --serial LAB001
# time: 120
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'Correct-Horse-7'

check 'scan answers' sedkit scan --json
equal 'scan shows one drive, not two' 'LAB001' "$(json '[.drives[].serial] | join(" ")')"
equal 'it is an SED' true "$(json '.drives[0].sed')"
check 'info answers on the controller' sedkit info --json "$node"
equal 'with an Opal 2 descriptor' true \
    "$(json '[.drives[0].discovery.features[].code] | contains(["0203"])')"
check 'info answers on the namespace' sedkit info --json "$disk"
equal 'it is the same drive' 'LAB001' "$(json '.drives[0].serial')"

check 'a partition is made' sfdisk --quiet --label gpt "$disk" <<<'1MiB,64MiB'
check 'it is there' patiently test -b "${disk}p1"
check 'with a file system' mkfs.ext4 -q "${disk}p1"
mount "${disk}p1" /mnt
pattern 100 1 >/mnt/file
sync

check 'setup takes ownership of a drive in use' sedkit setup "$node" --new-key file:key --force
true_of 'the drive has an owner' a '.state.owned'
true_of 'its Locking SP is active' a '.state.locking_sp == "Manufactured"'
unlocked a 0
check 'setup once more changes nothing' sedkit setup "$node" --new-key file:key --force --json
equal 'and says so' false "$(json '.drives[0].changed')"
check 'the file is still there' cmp /mnt/file <(pattern 100 1)

refuse 'a mounted drive is not locked' sedkit lock "$node" --key file:key
said 'the message names the mount' /mnt
unlocked a 0
umount /mnt

check 'lock by the controller' sedkit lock "$node" --key file:key
locked a 0
denied "$disk" 1000
blockdev --rereadpt "$disk" 2>/dev/null || true
refuse 'the partition is gone' test -b "${disk}p1"

secret wrong 'Wrong-Horse-77'
refuse 'a wrong passphrase is refused' sedkit unlock "$node" --key file:wrong
locked a 0

# The expansion is the listener's.
# shellcheck disable=SC2016
uevent sh -c 'echo "$ACTION $DEVPATH" >>events' &
watcher=$!
sleep 0.5
check 'unlock by the namespace' sedkit unlock "$disk" --key file:key
unlocked a 0
check 'the partition is back' patiently test -b "${disk}p1"
check 'an add event tells of it' patiently grep -q "^add .*/${controller}n1p1$" events
kill "$watcher"
check 'the file system mounts' mount -o ro "${disk}p1" /mnt
check 'the file is what it was' cmp /mnt/file <(pattern 100 1)

check 'a mounted drive is locked by force' sedkit lock "$node" --key file:key --force
locked a 0
check 'and unlocked again' sedkit unlock "$node" --key file:key
unlocked a 0
umount /mnt

before=$(medium a 2048)
check 'revert by the PSID' sedkit revert "$node" --psid exec:"printf %s $(psid a)" --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'
equal 'the same bytes are on the medium' "$before" "$(medium a 2048)"
refuse 'but the file system is gone' blkid -p "${disk}p1"
