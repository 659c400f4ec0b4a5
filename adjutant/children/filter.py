"""GROUND. The seccomp program a walled-in child carries: against what neither files nor Landlock's rules hold off."""

import errno
import os
import struct
import sys

# AUDIT_ARCH, and the place of its numbers in the tables below.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32 = 0x40000000  # other numbers for the same calls, on x86_64 only


def _numbers(table: str) -> dict[str, tuple[int, int | None]]:
    """{call: its numbers} of `call number number …`, `-` where a machine has no such call."""
    words = table.split()
    rows = zip(words[::3], words[1::3], words[2::3], strict=True)
    return {name: (int(one), None if other == "-" else int(other)) for name, one, other in rows}


# What an agent has no need of: the operator's keyrings, memory and queues that other processes made, the kernel's
# wide doors (io_uring makes sockets too), and being found by others.
REFUSED = _numbers("""
    add_key 248 217   request_key 249 218   keyctl 250 219   shmget 29 194   shmat 30 196   shmctl 31 195
    msgget 68 186   msgsnd 69 189   msgrcv 70 188   msgctl 71 187   semget 64 190   semop 65 193
    semtimedop 220 192   semctl 66 191   mq_open 240 180   mq_unlink 241 181   bpf 321 280   perf_event_open 298 241
    userfaultfd 323 282   io_uring_setup 425 425   listen 50 201
""")
# What reaches files that may only be read, and other processes, where only Landlock stands around the child: it has
# no rule for these. They are answered with success and not done, for programs make much of a refusal.
PRETENDED = _numbers("""
    chmod 90 -   fchmod 91 52   fchmodat 268 53   fchmodat2 452 452   chown 92 -   lchown 94 -   fchown 93 55
    fchownat 260 54   utime 132 -   utimes 235 -   futimesat 261 -   utimensat 280 88   setxattr 188 5
    lsetxattr 189 6   fsetxattr 190 7   setxattrat 463 463   removexattr 197 14   lremovexattr 198 15
    fremovexattr 199 16   removexattrat 466 466   file_setattr 469 469   setpriority 141 140   ioprio_set 251 30
    sched_setattr 314 274   sched_setaffinity 203 122   sched_setscheduler 144 119   sched_setparam 142 118
""")
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
    for calls, answer in ((REFUSED, NO), (PRETENDED if alone else {}, YES)):
        for numbers in calls.values():
            number = numbers[place]
            if number is not None:
                steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]
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
