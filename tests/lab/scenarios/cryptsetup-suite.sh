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
cases=$(grep -c '^CASE: ' suite.log)
equal 'all cases have run' "$(grep -c 'prepare "\[[0-9]*\]' /lab/compat-test-opal)" "$cases"
check 'the drive can be reset' sedkit revert "/dev/$controller" --psid file:psid --confirm LAB001
true_of 'nobody owns the drive' a '.state.owned == false'
