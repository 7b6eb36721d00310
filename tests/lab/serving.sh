# The virtual drives of one scenario, and the process that serves them. Sourced by the scripts of
# this folder that run on the host, in the scenario's folder below target/lab/run.
# shellcheck shell=bash

scenario=$(basename "$PWD")

# create_drives: one for each `# drive: NAME OPTION...` in the scenario
create_drives() {
    local name options
    while read -r name options; do
        # The options are words of ours.
        # shellcheck disable=SC2086
        "$sedkit" vdrive create "$name.img" --json $options >"$name.json"
    done < <(header "$scenario" drive)
}

has_drives() {
    [[ $(header "$scenario" drive) ]]
}

# start_server: serves the drives, again at the port where the guest knows them, and returns when
# they can be used. Every IF command is traced.
start_server() {
    local port options paths tries
    port=$(cat port 2>/dev/null || echo 0)
    mapfile -t paths < <(header "$scenario" drive | sed 's/ .*/.img/; t; s/$/.img/')
    read -r -a options < <(header "$scenario" serve) || true
    rm -f served.json
    # The shell leaves its process to the server, and its pid.
    # shellcheck disable=SC2016
    setsid sh -c 'echo $$ >server.pid; exec "$@"' - "$sedkit" vdrive serve "${paths[@]}" \
        --nvme-tcp "127.0.0.1:$port" --json --trace trace "${options[@]}" \
        </dev/null >served.json 2>>server.log 9>&- &
    disown
    for ((tries = 0; tries < 100 * patience; tries++)); do
        sleep 0.1
        note_drives 2>/dev/null && return
        kill -0 "$(<server.pid)" 2>/dev/null || break
    done
    echo 'the server did not start:'
    cat server.log served.json
    return 1
}

# note_drives: where each drive is served, as the guest's functions read it, and the port alone
note_drives() {
    python3 "$lab_source/served.py" <served.json >drives.new &&
        mv drives.new drives &&
        cut -d ' ' -f 2 drives | head -n 1 >port
}

# stop_server SIGNAL: and waits until it is gone
stop_server() {
    local pid
    pid=$(cat server.pid 2>/dev/null) || return 0
    rm server.pid
    kill -s "$1" "$pid" 2>/dev/null || return 0
    timeout 10 tail --pid="$pid" -s 0.1 -f /dev/null || kill -s KILL "$pid"
}
