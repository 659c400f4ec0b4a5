"""GROUND. The seccomp program a walled-in child carries: against what neither files nor Landlock's rules hold off."""

import errno
import os
import struct
import sys

# AUDIT_ARCH, and the place of its numbers in the tables below.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32 = 0x40000000  # other numbers for the same calls, on x86_64 only


with open(f"{__file__.removesuffix('.py')}.txt", encoding="ascii") as _table:
    CALLS = [line.split() for line in _table if line.strip() and not line.startswith("#")]
SOCKET, PAIR, SENDTO, SENDMSG, SENDMMSG = (41, 198), (53, 199), (44, 206), (46, 211), (307, 269)
PRLIMIT, IOCTL = (302, 261), (16, 29)
INET, INET6, STREAM, KIND, TCP = 2, 10, 1, 0xF, 6  # the type's low bits: flags stand above them
FASTOPEN = 0x20000000  # connects without connect(), which Landlock would see
SET_FLAGS, SET_ATTRIBUTES = 0x40086602, 0x401C5820  # of a file: chattr

LOAD, AND, EQUAL, AT_LEAST, ANY_OF, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NO, YES = FAIL | errno.EACCES, FAIL
Step = tuple[int, int, int, int]


def program(*, alone: bool) -> bytes:
    """The filter for this machine, b"" for an unknown one. `alone`: no file system of its own holds the child."""
    known = MACHINES.get(os.uname().machine)
    if known is None or sys.byteorder != "little":
        return b""
    arch, place = known
    refuse = (RETURN, 0, 0, NO)
    steps: list[Step] = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, arch), refuse, (LOAD, 0, 0, 0), (AT_LEAST, 0, 1, X32), refuse]
    for answer, number in ((row[0], row[2 + place]) for row in CALLS):
        if number != "-" and (answer == "refused" or alone):
            steps += [(EQUAL, 0, 1, int(number)), (RETURN, 0, 0, NO if answer == "refused" else YES)]
    for numbers, block in _blocks(alone):
        steps += [(EQUAL, 0, len(block), numbers[place]), *block]
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _blocks(alone: bool) -> list[tuple[tuple[int, int], list[Step]]]:
    """Calls that depend on what they are given: each block ends the program by one of its two returns."""
    first, second, third, fourth = ((LOAD, 0, 0, 16 + 8 * argument) for argument in range(4))  # the low half of each
    ends = [(RETURN, 0, 0, NO), (RETURN, 0, 0, ALLOW)]  # who arrives here is refused, who leaves one out may go on
    family, kind = [first, (EQUAL, 1, 0, INET), (EQUAL, 0, 6, INET6)], [second, (AND, 0, 0, KIND)]
    protocol = [third, (EQUAL, 2, 0, 0), (EQUAL, 1, 0, TCP)]
    blocks = [(SOCKET, [*family, *kind, (EQUAL, 0, 3, STREAM), *protocol, *ends])]
    blocks += [(PAIR, [*kind, (EQUAL, 1, 0, STREAM), *ends])]
    for numbers, flags in ((SENDTO, fourth), (SENDMSG, third), (SENDMMSG, fourth)):
        blocks += [(numbers, [flags, (ANY_OF, 0, 1, FASTOPEN), *ends])]
    if alone:
        blocks += [(PRLIMIT, [first, (EQUAL, 1, 0, 0), *ends])]
        blocks += [(IOCTL, [second, (EQUAL, 1, 0, SET_FLAGS), (EQUAL, 0, 1, SET_ATTRIBUTES), *ends])]
    return blocks
