"""Ways out by the network, by the kernel's other doors, and by more privileges than a child has."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

from tests.system.escape_files import Attempt, checked, libc, read

MPTCP, SCTP, FASTOPEN = 262, 132, 0x20000000
IO_URING_SETUP = 425
NEWUSER, NEWNS, NEWNET, NEWPID = 0x10000000, 0x20000, 0x40000000, 0x20000000
BIND, REC, REMOUNT, DETACH = 4096, 16384, 32, 2
CALLS = {
    "x86_64": {
        "add_key": 248,
        "keyctl": 250,
        "perf_event_open": 298,
        "bpf": 321,
        "userfaultfd": 323,
        "pivot_root": 155,
        "finit_module": 313,
        "kexec_load": 246,
    },
    "aarch64": {
        "add_key": 217,
        "keyctl": 219,
        "perf_event_open": 241,
        "bpf": 280,
        "userfaultfd": 282,
        "pivot_root": 41,
        "finit_module": 273,
        "kexec_load": 104,
    },
}[os.uname().machine]
SEARCH, READ_KEY, SESSION, USER, USER_SESSION = 10, 11, -3, -4, -5


def connected(family: int, kind: int, address: Any, protocol: int = 0) -> str:
    with socket.socket(family, kind, protocol) as talk:
        talk.settimeout(1)
        talk.connect(address)
        talk.send(b"escaped")
    return f"connected to {address}"


def sent(family: int, address: Any) -> str:
    with socket.socket(family, socket.SOCK_DGRAM) as talk:
        talk.sendto(b"escaped", address)
    return ""  # whether it came is for the listener to say


def through_a_pair(t: Any) -> None:
    """One end of a pair of datagram sockets may send to any socket file."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pair[0].sendto(b"escaped", t.unix_datagrams)


def a_pair_connected(t: Any) -> str:
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pair[0].connect(t.unix)
    return "a pair was connected elsewhere"


def fast(t: Any) -> str:
    """Data in the first packet: no connect() is called."""
    with socket.socket() as talk:
        talk.settimeout(1)
        talk.sendto(b"escaped", FASTOPEN, ("127.0.0.1", t.tcp))
        return f"connected to {talk.getpeername()}"


def fast_by_message(t: Any) -> str:
    with socket.socket() as talk:
        talk.settimeout(1)
        talk.sendmsg([b"escaped"], [], FASTOPEN, ("127.0.0.1", t.tcp))
        return f"connected to {talk.getpeername()}"


def interfaces(t: Any) -> str:
    """Which networks there are, through netlink."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as talk:
        talk.send(struct.pack("=IHHIIBxHiII", 32, 18, 0x301, 1, 0, 0, 0, 0, 0, 0))
        names = talk.recv(65536)
    return "interfaces" if any(name.encode() in names for name in t.interfaces) else ""


def listening(t: Any) -> str:
    with socket.socket() as talk:
        talk.bind(("127.0.0.1", 0))
        talk.listen()
        return _reached(t, talk)


def listening_unbound(t: Any) -> str:
    with socket.socket() as talk:
        talk.listen()
        return _reached(t, talk)


def _reached(t: Any, talk: socket.socket) -> str:
    """A listener in a network of its own can be reached by nobody."""
    return f"listens at {talk.getsockname()}" if _sees_host(t) else ""


def _sees_host(t: Any) -> bool:
    with open("/proc/net/dev") as file:
        text = file.read()
    return any(f"{name}:" in text for name in t.interfaces)


def elsewhere_at_the_door(t: Any) -> str:
    """The port of our door, at another address."""
    with socket.socket() as talk:
        talk.settimeout(1)
        try:
            talk.connect(("127.0.0.2", t.door))
        except ConnectionRefusedError:
            return "another machine would be reached" if _sees_host(t) else ""
    return "connected"


def host_of_the_machine(t: Any) -> str:
    return connected(socket.AF_VSOCK, socket.SOCK_STREAM, (2, 1234))


def made(family: int, kind: int, protocol: int = 0) -> Attempt:
    def attempt(t: Any) -> str:
        with socket.socket(family, kind, protocol):
            return f"a socket of family {family}" if _sees_host(t) else ""

    return attempt


NETWORK: dict[str, Attempt] = {
    "TCP to the notifier": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t.tcp)),
    "TCP to the messenger": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t.bot)),
    "TCP to the model itself": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t.model)),
    "TCP over IPv6": lambda t: connected(socket.AF_INET6, socket.SOCK_STREAM, ("::1", t.tcp6)),
    "TCP over IPv6 to an IPv4 address": lambda t: connected(
        socket.AF_INET6, socket.SOCK_STREAM, ("::ffff:127.0.0.1", t.tcp)
    ),
    "TCP to another loopback address": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.2", t.tcp2)),
    "TCP to the world": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    "TCP to the door's port elsewhere": elsewhere_at_the_door,
    "TCP with data in its first packet": fast,
    "TCP with data in its first packet, by message": fast_by_message,
    "MPTCP": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t.tcp), MPTCP),
    "SCTP": lambda t: connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t.tcp), SCTP),
    "UDP": lambda t: sent(socket.AF_INET, ("127.0.0.1", t.udp)),
    "UDP over IPv6": lambda t: sent(socket.AF_INET6, ("::1", t.udp)),
    "a socket file": lambda t: connected(socket.AF_UNIX, socket.SOCK_STREAM, t.unix),
    "a socket file, datagrams": lambda t: sent(socket.AF_UNIX, t.unix_datagrams),
    "a socket file, through a pair": through_a_pair,
    "a socket file, through packets in sequence": a_pair_connected,
    "an abstract socket": lambda t: connected(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{t.abstract}"),
    "netlink": interfaces,
    "a raw socket": made(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "a ping socket": made(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    "a packet socket": made(socket.AF_PACKET, socket.SOCK_RAW, 3),
    "vsock to the host": host_of_the_machine,
    "listen at a port": listening,
    "listen at any port": listening_unbound,
}


# -- the kernel ----------------------------------------------------------------------------------------------


def number(name: str, *words: int | bytes) -> int:
    """A call that the C library has no function for."""
    return checked(libc.syscall(CALLS[name], *(ctypes.c_long(w) if isinstance(w, int) else w for w in words)))


def key(t: Any) -> str:
    """A key of the operator's keyrings, by its name."""
    for ring in (SESSION, USER, USER_SESSION):
        try:
            found = number("keyctl", SEARCH, ring, b"user", t.key.encode(), 0)
        except OSError as error:
            refused = error
            continue
        held = ctypes.create_string_buffer(100)
        checked(libc.syscall(CALLS["keyctl"], READ_KEY, found, held, ctypes.c_size_t(100)))
        return held.value.decode()
    raise refused


def shared_memory(t: Any) -> str:
    libc.shmat.restype, libc.shmat.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    place = libc.shmat(checked(libc.shmget(t.sysv, 0, 0)), None, 0o10000)
    if place in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(place, 64).decode("latin-1")


def message_queue(t: Any) -> str:
    checked(libc.mq_open(f"/{t.queue}".encode(), os.O_RDWR))
    return "an open queue"


def apart(flags: int, then: Callable[[Any], str | None]) -> Attempt:
    """In namespaces of its own, where it is root."""

    def attempt(t: Any) -> str | None:
        uid = os.getuid()
        checked(libc.unshare(flags))
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1")):
            try:
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
            except OSError:
                pass  # one without the other may do
        return then(t)

    return attempt


def unmasked(t: Any) -> str:
    """What lies under a mask, once the mask is taken off."""
    for path in (f"{t.kb}/.env", f"{t.kb}/.opencode"):
        checked(libc.umount2(path.encode(), DETACH))
    return read(f"{t.kb}/.env")


def writable_again(t: Any) -> None:
    checked(libc.mount(b"none", t.kb.encode(), b"none", BIND | REMOUNT, None))
    os.mkdir(f"{t.kb}/made-after-remount")


def bound(t: Any) -> str:
    checked(libc.mount(t.root.encode(), b"/usr", None, BIND | REC, None))
    return read("/usr/.env")


def rooted(t: Any) -> str:
    os.chroot(t.root)
    return read("/.env")


def joined(kind: str) -> Attempt:
    def attempt(t: Any) -> str:
        refused: OSError = FileNotFoundError(2, "nobody")
        for pid in (t.victim, 1):
            try:
                mine, theirs = (os.stat(f"/proc/{who}/ns/{kind}").st_ino for who in ("self", pid))
                fd = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
                checked(libc.setns(fd, 0))
            except OSError as error:
                refused = error
            else:
                return f"the {kind} namespace of {pid}" if mine != theirs else ""
        raise refused

    return attempt


def another_user(t: Any) -> str:
    os.setuid(t.other_uid)
    return "another user" if os.getuid() == t.other_uid else ""


def refused_for_good(call: Callable[[], Any], *wrong: int) -> Attempt:
    """A call with a nonsensical argument: to be told of that is to be allowed to make it."""

    def attempt(t: Any) -> str:
        try:
            call()
        except OSError as error:
            if error.errno in wrong:
                return f"allowed, but for the nonsense in it: {error.strerror}"
            raise
        return "allowed"

    return attempt


def host_name(t: Any) -> str:
    name = os.uname().nodename.encode()
    checked(libc.sethostname(name, len(name)))
    return "the name of the machine may be set"


EINVAL, EBADF, ENOENT, EFAULT = 22, 9, 2, 14
KERNEL: dict[str, Attempt] = {
    "a key of a keyring": key,
    "a new key in a keyring": lambda t: (
        number("add_key", b"user", b"adjutant-escaped", b"x", 1, SESSION) and "a key was added"
    ),
    "shared memory (System V)": shared_memory,
    "a message queue": message_queue,
    "io_uring": lambda t: checked(libc.syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120))) and "a ring",
    "bpf": lambda t: (
        number(
            "bpf", 0, ctypes.addressof(ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1) + b"\0" * 60)), 76
        )
        and "a map"
    ),
    "perf_event_open": lambda t: (
        number(
            "perf_event_open",
            ctypes.addressof(ctypes.create_string_buffer(struct.pack("=IIQ", 1, 112, 0) + b"\0" * 96)),
            t.victim,
            -1,
            -1,
            0,
        )
        and "a counter of a stranger"
    ),
    "userfaultfd": lambda t: number("userfaultfd", 0) and "handles faults of the kernel",
    "mount": bound,
    "mount in a namespace of its own": apart(NEWUSER | NEWNS, bound),
    "unmount a mask": unmasked,
    "unmount a mask in a namespace of its own": apart(NEWUSER | NEWNS, unmasked),
    "remount writable": writable_again,
    "remount writable in a namespace of its own": apart(NEWUSER | NEWNS, writable_again),
    "chroot": rooted,
    "chroot in a namespace of its own": apart(NEWUSER, rooted),
    "pivot_root": lambda t: number("pivot_root", t.root.encode(), t.root.encode()) and "another root",
    "unshare and read": apart(NEWUSER | NEWNS | NEWPID, lambda t: read(t.env)),
    "unshare the network and connect": apart(
        NEWUSER | NEWNET, lambda t: connected(socket.AF_UNIX, socket.SOCK_STREAM, t.unix)
    ),
    "join the files of a stranger": joined("mnt"),
    "join the network of a stranger": joined("net"),
    "join the users of a stranger": joined("user"),
    "another user": another_user,
    "set the clock": refused_for_good(
        lambda: checked(libc.adjtimex(ctypes.create_string_buffer(struct.pack("=I", 0x2000) + b"\xff" * 204))), EINVAL
    ),
    "set the host's name": host_name,
    "load a module": refused_for_good(lambda: number("finit_module", -1, b"", 0), EBADF, ENOENT),
    "kexec": refused_for_good(lambda: number("kexec_load", 0, 99, 0, 0), EINVAL),
    "reboot": refused_for_good(lambda: checked(libc.reboot(0x12345)), EINVAL),
    "swapoff": refused_for_good(lambda: checked(libc.swapoff(b"/nowhere")), ENOENT),
    "the log of the kernel": lambda t: checked(libc.klogctl(3, ctypes.create_string_buffer(64), 64)) and "its log",
}
ATTEMPTS = {**NETWORK, **KERNEL}
