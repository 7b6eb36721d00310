#!/bin/bash
# cryptsetup's own test of Opal drives, as Debian ships it, with every case.
# drive: a --size 256MiB --serial LAB001
# time: 600
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
secret psid "$(psid a)"
for module in dm-crypt dm-delay dm-integrity loop; do modprobe "$module"; done

# In a session keyring of its own, as the test wants it.
suite() {
    OPAL2_DEV=/dev/${controller}n1 OPAL2_PSID_FILE=psid CRYPTSETUP_PATH=/usr/sbin \
        keyctl session - bash /lab/compat-test-opal 2>&1 | tee suite.log
}
echo '# cryptsetup prints:'
suite || not_ok 'the test ends well'
last=$(sed -n 's/^prepare "\[\([0-9]*\)\].*/\1/p' /lab/compat-test-opal | tail -n 1)
equal 'all cases have run, from 0 on' "$(seq 0 "$last" | xargs)" \
    "$(sed -n 's/^CASE: \[\([0-9]*\)\].*/\1/p' suite.log | xargs)"
check 'the drive can be reset' sedkit revert "/dev/$controller" --psid file:psid --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'
