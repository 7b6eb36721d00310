"""Reads what `sedkit vdrive serve --json` prints, and writes a line for each drive:
the name of its file without .img, the TCP port, and the NQN.
"""

import json
import pathlib
import sys

answer = json.load(sys.stdin)
if not answer["ok"]:
    sys.exit(answer["error"]["message"])
for drive in answer["drives"]:
    name = pathlib.Path(drive["device"].removeprefix("vdrive:")).stem
    place = drive["nvme_tcp"]
    print(name, place["port"], place["nqn"])
