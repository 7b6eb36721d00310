#!/bin/bash
# Partitions with ranges and users of their own, erased with evidence, and a shadow MBR before all
# of it: each user opens its partition, the EFI system partition is always there.
# drive: a --size 256MiB --serial LAB001
# time: 180
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
node=/dev/$controller
disk=${node}n1
secret key 'Correct-Horse-7'
secret one 'First-User-11'
secret two 'Second-User-22'

partitions='1MiB,16MiB,U
17MiB,64MiB
81MiB,64MiB'
check 'partitions are made' sfdisk --quiet --label gpt "$disk" <<<"$partitions"
check 'they are there' patiently test -b "${disk}p3"
check 'setup' sedkit setup "$node" --new-key file:key
check 'range 0 shall lock nothing' sedkit range set "$node" --range 0 --key file:key \
    --read-lock-enabled no --write-lock-enabled no

check 'a file system on partition 2' mkfs.ext4 -q "${disk}p2"
check 'it is mounted' mount "${disk}p2" /mnt
refuse 'a partition that is mounted gets no other key' \
    sedkit range create "$disk" --partition 2 --key file:key --confirm LAB001
said 'the mount is named' /mnt
umount /mnt
check 'partition 2 gets a range' sedkit range create "$disk" --partition 2 --key file:key --confirm LAB001
refuse 'the file system is gone with the key' mount -o ro "${disk}p2" /mnt
check 'partition 3 gets a range' sedkit range create "$disk" --partition 3 --key file:key --confirm LAB001
refuse 'the EFI system partition gets none' \
    sedkit range create "$disk" --partition 1 --key file:key --confirm LAB001
equal 'both ranges have the blocks of their partitions' '34816+131072 165888+131072' \
    "$(truth a '[.state.ranges[] | select(.range > 0) | "\(.range_start)+\(.range_length)"] | join(" ")')"

for number in 1 2 3; do
    check "a file system on partition $number" mkfs.ext4 -q "${disk}p$number"
    mount "${disk}p$number" /mnt
    pattern 100 "$number" >/mnt/file
    umount /mnt
done

check 'User1 is made' sedkit user enable "$node" User1 --new-key file:one --key file:key
check 'and has range 1' sedkit user grant "$node" User1 --range 1 --key file:key
check 'User2 is made' sedkit user enable "$node" User2 --new-key file:two --key file:key
check 'and has range 2' sedkit user grant "$node" User2 --range 2 --key file:key
power_cycle a
locked a 1
locked a 2
echo 1 >/proc/sys/vm/drop_caches
denied "${disk}p2" 100
denied "${disk}p3" 100
check 'the EFI system partition mounts' mount -o ro "${disk}p1" /mnt
check 'its file is what it was' cmp /mnt/file <(pattern 100 1)
umount /mnt

check 'User1 opens its own' sedkit unlock "$node" --range 1 --as User1 --key file:one
unlocked a 1
locked a 2
check 'partition 2 mounts' mount -o ro "${disk}p2" /mnt
check 'its file is what it was' cmp /mnt/file <(pattern 100 2)
umount /mnt
refuse 'User1 does not open range 2' sedkit unlock "$node" --range 2 --as User1 --key file:one
refuse 'nor does User1 lock it' sedkit lock "$node" --range 2 --as User1 --key file:one
locked a 2
check 'User1 is revoked' sedkit user revoke "$node" User1 --range 1 --key file:key
check 'range 1 is locked' sedkit lock "$node" --range 1 --key file:key
refuse 'User1 opens nothing any more' sedkit unlock "$node" --range 1 --as User1 --key file:one
locked a 1

check 'User2 opens its own' sedkit unlock "$node" --range 2 --as User2 --key file:two
mount "${disk}p3" /mnt
refuse 'what is mounted is not erased' \
    sedkit erase "$node" --range 2 --key file:key --confirm LAB001
said 'the mount is named' /mnt
umount /mnt
before=$(medium a 165888)
check 'range 2 is erased' sedkit erase "$node" --range 2 --key file:key --confirm LAB001 --json
equal 'its blocks were read before and after' supported "$(json '.drives[0].ranges[0].evidence.verdict')"
equal 'the same bytes are on the medium' "$before" "$(medium a 165888)"
echo 1 >/proc/sys/vm/drop_caches
refuse 'but the file system is gone' mount -o ro "${disk}p3" /mnt
check 'range 1 is opened' sedkit unlock "$node" --range 1 --key file:key
check 'and kept its file system' mount -o ro "${disk}p2" /mnt
check 'its file is what it was' cmp /mnt/file <(pattern 100 2)
umount /mnt

pattern 500 9 >image
check 'a shadow MBR is loaded' sedkit mbr load "$node" image --key file:key --confirm LAB001
check 'and is what it should be' sedkit mbr verify "$node" image --key file:key
check 'it is shown from now on' sedkit mbr enable "$node" --key file:key
power_cycle a
echo 1 >/proc/sys/vm/drop_caches
check 'the kernel reads it' cmp <(dd if="$disk" bs=4k count=500 iflag=direct status=none) image
check 'unlock hides it' sedkit unlock "$node" --mbr-done --key file:key
check 'the partitions are back' patiently test -b "${disk}p2"
check 'partition 2 mounts' mount -o ro "${disk}p2" /mnt
check 'its file is what it was' cmp /mnt/file <(pattern 100 2)
umount /mnt

check 'bytes go into the DataStore' sedkit datastore write "$node" image --offset 4096 --key file:key
check 'and come back' sedkit datastore read "$node" --offset 4096 --length 100000 --key file:key -o copy
check 'as they were' cmp copy <(head -c 100000 image)
