#!/bin/bash
# Four jobs of fio at once write and verify, in sequence and at random, without an error, on an
# encrypted drive that is set up and unlocked.
# drive: a --size 256MiB --serial LAB001
# time: 240
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
secret key 'Correct-Horse-7'
check 'setup' sedkit setup "/dev/$controller" --new-key file:key

# verified PATTERN BLOCK SIZE: each job has a part of the drive, and reads back what it wrote
verified() {
    fio --name=lab --filename="/dev/${controller}n1" --direct=1 --ioengine=libaio --iodepth=8 \
        --numjobs=4 --offset_increment=48M --size="$3" --rw="$1" --bs="$2" --verify=crc32c \
        --verify_fatal=1 --do_verify=1 --randseed=20260101 --group_reporting \
        --output-format=json --output=fio.json && sed -n '/^{/,$p' fio.json
}

for work in 'write 64k 16M' 'randwrite 4k 4M' 'rw 16k 8M' 'randrw 4k 4M'; do
    read -r pattern block size <<<"$work"
    check "$work, four jobs" verified "$pattern" "$block" "$size"
    equal 'no job has an error' 0 "$(json '[.jobs[].error] | add')"
    equal 'nothing was written short' 0 "$(json '[.jobs[] | .read.short_ios + .write.short_ios] | add')"
    echo "#   $(json '.jobs[0] | "write \(.write.iops | floor)/s, read and verify \(.read.iops | floor)/s"')"
done
equal 'the kernel has nothing to complain of' '' "$(dmesg | grep -i 'nvme.*error\|blk_update\|I/O error')"
