"""GROUND. One page or file from the web, by a child: `python -I -S fetch.py` reads a plan and writes what came."""

import http.client
import ipaddress
import json
import os
import socket
import ssl
import sys
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

REDIRECTS = 5
SLACK = 64 * 1024  # for the first line of what the child writes
NAT64 = ipaddress.ip_network("64:ff9b::/96")
HEADERS = {"User-Agent": "adjutant", "Accept": "*/*", "Accept-Encoding": "identity"}
SAFE = "%/?:@!$&'()*+,;=-._~#[]"  # stands in an address as it is
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class FetchRefused(Exception):
    """It is not fetched, or did not come. `again`: it may, later."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.again = reason, again


class Fetched(NamedTuple):
    """What came: the address it came from at last, its declared media type, its bytes."""

    url: str
    media: str
    data: bytes


def fetch(url: str, *, most: int, seconds: float, loopback: bool, watch: Callable[[], None]) -> Fetched:
    """At most `most` bytes within `seconds`; `loopback`: of this machine too. Raises FetchRefused."""
    from adjutant.children import child, leash  # not in the child itself, which knows nothing of ours

    plan = json.dumps({"url": url, "most": most, "seconds": seconds, "loopback": loopback}).encode()
    python = [os.path.realpath(sys.executable), "-I", "-S", "-B"]
    argv, limit = [*python, os.path.realpath(leash.__file__), str(os.getpid()), *python, __file__], most + SLACK
    ended = child.run(argv, env={}, cwd="/", stdin=plan, seconds=seconds, out_limit=limit, watch=watch, grace=0.0)
    if ended.cause is not None or ended.code:
        why = {"timeout": f"it did not come within {seconds:g} s", "flood": f"it is larger than {most >> 20} MB"}
        raise FetchRefused(why.get(ended.cause or "", "the fetch broke off"), again=ended.cause != "flood")
    head, _, data = ended.out.partition(b"\n")
    told = json.loads(head)
    if "refused" in told:
        raise FetchRefused(told["refused"], again=told["again"])
    return Fetched(told["url"], told["media"], data)


def main() -> None:
    """The child: its plan on standard input, on standard output a line about what came and then its bytes."""
    plan = json.loads(sys.stdin.buffer.read())
    data = b""
    try:
        url, media, data = _follow(plan)
        told: dict[str, Any] = {"url": url, "media": media}
    except FetchRefused as refused:
        told = {"refused": refused.reason, "again": refused.again}
    except (OSError, http.client.HTTPException, ValueError) as error:
        told = {"refused": f"{type(error).__name__}: {str(error)[:120]}", "again": isinstance(error, OSError)}
    sys.stdout.buffer.write(json.dumps(told).encode() + b"\n" + data)
    sys.stdout.buffer.flush()


def _follow(plan: dict[str, Any]) -> tuple[str, str, bytes]:
    url = plan["url"]
    for _ in range(REDIRECTS + 1):
        status, headers, data = _once(url, plan)
        if status in (301, 302, 303, 307, 308) and headers.get("Location"):
            url = urljoin(url, headers["Location"])
            continue
        if status != 200:
            raise FetchRefused(f"the server says {status}", again=status in (408, 425, 429) or status >= 500)
        return url, headers.get_content_type(), data
    raise FetchRefused(f"more than {REDIRECTS} redirects")


def _once(url: str, plan: dict[str, Any]) -> tuple[int, http.client.HTTPMessage, bytes]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise FetchRefused("only http and https addresses without a name and password are fetched")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public(parts.hostname, port, plan["loopback"])
    connection = _Pinned(parts.hostname, port, address, secure=parts.scheme == "https", timeout=plan["seconds"])
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", quote(path, safe=SAFE), headers=HEADERS)
        response = connection.getresponse()
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise FetchRefused("the server sent it compressed, unasked")
        data = response.read(plan["most"] + 1)
        if len(data) > plan["most"]:
            raise FetchRefused(f"it is larger than {plan['most'] >> 20} MB")
        return response.status, response.headers, data
    finally:
        connection.close()


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was looked at, whatever its name leads to by now."""

    def __init__(self, host: str, port: int, address: str, *, secure: bool, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout)
        self._address, self._secure = address, secure
        self.default_port = 443 if secure else 80  # left out of the Host header

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _public(host: str, port: int, loopback: bool) -> str:
    try:
        found = [entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise FetchRefused(f"the name {host[:80]} is not known", again=True) from None
    for address in map(str, found):
        if not _is_allowed(ipaddress.ip_address(address.partition("%")[0]), loopback):
            raise FetchRefused(f"{host[:80]} leads to {address}, which is no public address")
    return str(found[0])


def _is_allowed(address: Address, loopback: bool) -> bool:
    """Whether it is public, and each IPv4 address that it may be carried on to as well."""
    carried: list[Address | None] = []
    if isinstance(address, ipaddress.IPv6Address):
        nat = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None
        carried = [address.ipv4_mapped, address.sixtofour, (address.teredo or (None, None))[1], nat]
        if address.ipv4_mapped is not None:
            return _is_allowed(address.ipv4_mapped, loopback)
    if address.is_loopback:
        return loopback
    inner = all(_is_allowed(each, loopback) for each in carried if each is not None)
    return address.is_global and not address.is_multicast and inner


if __name__ == "__main__":
    main()
