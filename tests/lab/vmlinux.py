"""Takes the ELF file out of a compressed Linux kernel.

Usage: vmlinux.py VMLINUZ VMLINUX
"""

import re
import subprocess
import sys

# What each compressor writes first, and the program that reads it again.
COMPRESSORS = (
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x1f\x8b\x08", "gzip"),
)


def payloads(image):
    """Yields what decompresses to something, wherever a compressor's mark is found."""
    for mark, program in COMPRESSORS:
        for place in re.finditer(re.escape(mark), image):
            # More bytes follow the payload, so the exit status says nothing.
            yield subprocess.run(
                [program, "-dc"],
                input=image[place.start() :],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=False,
            ).stdout


def main(vmlinuz, vmlinux):
    with open(vmlinuz, "rb") as file:
        image = file.read()
    for payload in payloads(image):
        if payload.startswith(b"\x7fELF"):
            with open(vmlinux, "wb") as file:
                file.write(payload)
            return
    sys.exit(f"{vmlinuz}: no kernel found in it")


if __name__ == "__main__":
    main(*sys.argv[1:])
