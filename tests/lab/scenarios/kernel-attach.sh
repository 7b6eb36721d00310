#!/bin/bash
# The kernel takes the virtual drive for an SED, and for a disk: partitions, a file system, files.
# drive: a --size 256MiB --serial LAB001
# time: 60
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
disk=/dev/${controller}n1

equal 'the serial number is that of the drive' LAB001 "$(xargs <"/sys/class/nvme/$controller/serial")"
equal 'the capacity is that of the drive' 268435456 "$(blockdev --getsize64 "$disk")"
equal 'so is the block size' "$(truth a .state.block_size)" "$(blockdev --getss "$disk")"
check 'the kernel has found its Opal descriptor' nvme sed discover "$disk"
equal 'and that locking is off' no "$(sed -n 's/.*Locking Feature Enabled *: //p' /tmp/output)"
true_of 'nobody owns the drive' a '.state.owned == false'

check 'sfdisk makes a partition' sfdisk --quiet --label gpt "$disk" <<<'1MiB,128MiB'
check 'its node appears' patiently test -b "${disk}p1"
check 'mke2fs makes a file system' mkfs.ext4 -q -L lab "${disk}p1"
check 'it is mounted' mount "${disk}p1" /mnt

pattern 2048 7 >/mnt/file
check 'a file is written to the drive' sync /mnt/file
umount /mnt
echo 3 >/proc/sys/vm/drop_caches
check 'it is mounted again' mount -o ro "${disk}p1" /mnt
check 'the file is what it was' cmp /mnt/file <(pattern 2048 7)
umount /mnt
check 'the file system is clean' e2fsck -f -n "${disk}p1"

check 'blocks are written past the cache' fill "$disk" 60000 8 42
check 'and read' holds "$disk" 60000 8 42
sector=$((60000 * 4096 / $(truth a .state.block_size)))
equal 'the drive reads the same to its host' "$(pattern 8 42 | xxd -p -c 32 | sha256sum)" \
    "$(host vdrive read a --lba "$sector" --count 64 | sha256sum)"
on_medium=$(medium a "$sector" 64)
refuse 'the medium holds something else' \
    test "$on_medium" = "$(pattern 8 42 | xxd -p -c 32 | sha256sum)"

check 'deallocated blocks are taken' blkdiscard -o $((60000 * 4096)) -l 32768 "$disk"
check 'they read as zeros' cmp <(dd if="$disk" bs=4k skip=60000 count=8 iflag=direct status=none) \
    <(head -c 32768 /dev/zero)
