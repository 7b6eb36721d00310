# What scenarios are written with. Each check prints `ok - WORDS`, or `not ok - WORDS` with the
# reason and ends the scenario: what comes after a failure would only tell of the failure.
# shellcheck shell=bash
set -eEuo pipefail
trap 'echo "not ok - $0 line $LINENO: $BASH_COMMAND" >&2' ERR

# check WORDS COMMAND...: the command succeeds. What it prints is left in /tmp/output and
# /tmp/errors, here and in the next one.
check() {
    local words=$1 status=0
    shift
    "$@" >/tmp/output 2>/tmp/errors || status=$?
    ((status == 0)) || not_ok "$words" "exit status $status of: $*" /tmp/output /tmp/errors
    echo "ok - $words"
}

# refuse WORDS COMMAND...: the command fails
refuse() {
    local words=$1 status=0
    shift
    "$@" >/tmp/output 2>/tmp/errors || status=$?
    ((status != 0)) || not_ok "$words" "succeeds: $*" /tmp/output /tmp/errors
    echo "ok - $words"
}

# exits CODE COMMAND...: whether the command ends with that exit status
exits() {
    local code=$1 status=0
    shift
    "$@" || status=$?
    ((status == code))
}

# said WORDS PART: the last command has printed that
said() {
    contains "$1" "$2" "$(cat /tmp/output /tmp/errors)"
}

# json FILTER: one value of the document that the last command has printed
json() {
    jq -r "$1" /tmp/output
}

# equal WORDS EXPECTED ACTUAL
equal() {
    [[ $2 == "$3" ]] || not_ok "$1" "expected: $2" "     got: $3"
    echo "ok - $1"
}

# contains WORDS PART TEXT
contains() {
    [[ $3 == *"$2"* ]] || not_ok "$1" "expected: …$2…" "     got: $3"
    echo "ok - $1"
}

# not_ok WORDS REASON...: a reason that is a file stands for what is in it
not_ok() {
    local reason
    echo "not ok - $1"
    shift
    for reason in "$@"; do
        if [[ -f $reason ]]; then tail -n 30 "$reason"; else printf '%s\n' "$reason"; fi
    done | sed 's/^/#   /'
    exit 1
}

# patiently COMMAND...: waits up to a minute for its success
patiently() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "waited in vain for: $*" >&2
    return 1
}

# host VERB WORD...: has the host do it (tests/lab/host); its answer, and its exit status
host() {
    local line status=
    exec 7<>/dev/tcp/10.0.2.100/7
    printf '%s\n' "$*" >&7
    while IFS= read -r line <&7; do
        case $line in
            'status '*) status=${line#status } ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
    exec 7>&-
    return "${status:-99}"
}

# truth DRIVE FILTER: what the drive itself knows, from its file: `vdrive info` on the host
truth() {
    host vdrive info "$1" | jq -r ".drives[0] | $2"
}

# counted DRIVE: IF commands that it has seen so far
counted() {
    host vdrive stats "$1" | jq '.drives[0].stats.total | .send + .recv'
}

# true_of WORDS DRIVE FILTER: what the drive itself knows makes the filter true
true_of() {
    equal "$1" true "$(truth "$2" "$3")"
}

# medium DRIVE LBA [COUNT]: a hash of the bytes on the medium, which are ciphertext
medium() {
    host vdrive media "$1" --lba "$2" --count "${3:-8}" | sha256sum
}

# locked DRIVE RANGE, and unlocked: the drive's own word for reads and writes
locked() { true_of "range $2 of $1 is locked" "$1" "$(range "$2") | .read_locked and .write_locked"; }
unlocked() { true_of "range $2 of $1 is unlocked" "$1" "$(range "$2") | (.read_locked or .write_locked) | not"; }
range() { printf '(.state.ranges[] | select(.range == %d))' "$1"; }

# live: the kernel is connected to the drive
live() { [[ $(<"/sys/class/nvme/$controller/state") == live ]]; }

# secret FILE WORDS: a file that sedkit takes a passphrase from
secret() {
    (umask 077 && printf %s "$2" >"$1")
}

# nvme_sed DEV 'VERB [OPTION...]' ANSWER...: nvme-cli asks, and gets a line for each question
nvme_sed() {
    local words
    read -r -a words <<<"$2"
    printf '%s\n' "${@:3}" | nvme sed "${words[@]}" "$1"
}

# refusals: how often a drive has answered NOT_AUTHORIZED
refusals() { host traced NOT_AUTHORIZED; }

psid() { truth "$1" .label.psid; }
msid() { truth "$1" .label.msid; }

# connect DRIVE [OPTION...]: sets controller to its name, as nvme0
connect() {
    local drive=$1 port nqn answer option options=
    read -r port nqn < <(sed -n "s/^$drive //p" /lab/drives)
    shift
    for option in "$@"; do options+=,$option; done
    exec 6<>/dev/nvme-fabrics
    printf 'transport=tcp,traddr=10.0.2.2,trsvcid=%s,nqn=%s,hostnqn=%s,hostid=%s,%s%s' \
        "$port" "$nqn" "nqn.2014-08.org.nvmexpress:uuid:$host_id" "$host_id" \
        'nr_io_queues=2,reconnect_delay=1,ctrl_loss_tmo=60,keep_alive_tmo=15' "$options" >&6
    read -r answer <&6
    exec 6>&-
    [[ $answer =~ instance=([0-9]+) ]]
    controller=nvme${BASH_REMATCH[1]}
}
host_id=11111111-2222-3333-4444-555555555555

# attach DRIVE [OPTION...]: connects, and waits for the first namespace
attach() {
    check "the kernel connects to $1" connect "$@"
    check "its block device appears" patiently test -b "/dev/${controller}n1"
}

# detach CONTROLLER
detach() {
    echo 1 >"/sys/class/nvme/$1/delete_controller"
}

# fill DEV BLOCK COUNT SEED: writes 4 KiB blocks that follow from the seed, past all caches
fill() {
    pattern "$3" "$4" | dd of="$1" bs=4k seek="$2" oflag=direct iflag=fullblock conv=fsync status=none
}

# holds DEV BLOCK COUNT SEED: what fill has written is there, read past all caches
holds() {
    cmp <(dd if="$1" bs=4k skip="$2" count="$3" iflag=direct status=none) <(pattern "$3" "$4")
}

# readable DEV BLOCK: one block can be read, past all caches
readable() {
    dd if="$1" of=/dev/null bs=4k skip="$2" count=1 iflag=direct status=none
}

# writable DEV BLOCK: one block can be written, past all caches
writable() {
    pattern 1 0 | dd of="$1" bs=4k seek="$2" count=1 oflag=direct iflag=fullblock conv=fsync status=none
}

# power_cycle DRIVE: cuts the power, and waits until the kernel is connected again
power_cycle() {
    check "the power of $1 is cut, and comes back" host vdrive power-cycle "$1"
    check 'the kernel is connected again' patiently live
}

# denied DEV BLOCK: the kernel gets Access Denied for reads and for writes, which it calls ENODATA
denied() {
    refuse 'reads are refused' readable "$1" "$2"
    said 'as access denied' 'No data available'
    refuse 'writes are refused' writable "$1" "$2"
    said 'as access denied' 'No data available'
}

# pattern COUNT SEED: blocks of 128 lines, no two of which are the same
pattern() {
    seq -f "seed $(printf %04d "$2") line %016.0f" $(($1 * 128))
}
