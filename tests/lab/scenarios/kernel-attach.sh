#!/bin/bash
# The kernel takes the virtual drive for an SED, and for a disk: partitions, a file system, files.
# drive: a --size 256MiB --serial LAB001
# time: 60
# shellcheck source=tests/lab/guest/lib.sh
source /lab/lib.sh

attach a
