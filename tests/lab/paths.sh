# Where things lie. Sourced by the scripts of this folder that run on the host.
# shellcheck shell=bash disable=SC2034
# (not every script uses every path)

lab_source=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
repository=$(realpath "$lab_source/../..")
target=$(realpath -m "${CARGO_TARGET_DIR:-$repository/target}")

lab=$target/lab       # all that the lab makes: `rm -rf` it for a clean start
parts=$lab/parts      # what was fetched: QEMU, a kernel, programs for the guest
runs=$lab/run         # a folder for each scenario: drives, console, traces, logs

# The program under test, and the one that serves the drives.
sedkit=$(realpath -m "${LAB_SEDKIT:-$target/release/sedkit}")
export LAB_SEDKIT=$sedkit     # the same one, wherever the other scripts run

# Factor for every time limit, for slow or busy machines.
patience=${LAB_PATIENCE:-1}

# header SCENARIO KEY: the values of all `# KEY: VALUE` lines of a scenario
header() {
    sed -n "s/^# $2: *//p" "$lab_source/scenarios/$1.sh"
}

say() { printf 'lab: %s\n' "$*"; }

fail() {
    printf 'lab: %s\n' "$@" >&2
    exit 1
}
