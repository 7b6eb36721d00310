# Virtual drives as SCSI disks of the guest's own kernel. Sourced after lib.sh.
# shellcheck shell=bash

# The drive's file lies in the guest, so its own word is to be had here.
truth() {
    sedkit vdrive info "$1.img" --json | jq -r ".drives[0] | $2"
}

refusals() {
    grep -c NOT_AUTHORIZED trace || true
}

power_cycle() {
    check "the power of $1 is cut, and comes back" sedkit vdrive power-cycle "$1.img"
}

# denied DEV BLOCK: reads and writes fail as $denial says, which is what the kernel makes of it
denied() {
    refuse 'reads are refused' readable "$1" "$2"
    said "as: $denial" "$denial"
    refuse 'writes are refused' writable "$1" "$2"
    said "as: $denial" "$denial"
}
denial='Remote I/O error'      # of DATA PROTECT

# The drive and its trace end with the guest, so a failure puts them on the console.
leave_trace() {
    local status=$?
    ((status == 0)) && return
    echo '# the server says, and has traced:'
    cat served.log trace 2>/dev/null | sed 's/^/#   /'
    exit "$status"
}
trap leave_trace EXIT

# serve_scsi [OPTION...]: drive a as /dev/sda
# shellcheck disable=SC2120
serve_scsi() {
    local module
    for module in configfs sd_mod sg target_core_mod target_core_user tcm_loop; do
        modprobe "$module"
    done
    mount -t configfs configfs /sys/kernel/config
    mkdir -p /etc/target /var/target
    check 'a drive is made' sedkit vdrive create a.img --size 64MiB --serial LAB001
    sedkit vdrive serve a.img --tcmu lab --trace trace "$@" >served.log 2>&1 &
    patiently test -b /dev/sda || not_ok 'a disk appears' served.log
    echo 'ok - a disk appears'
}
