"""A fetch reaches public addresses alone, and ends in time and in size."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time

import pytest

from adjutant.children.fetch import FetchRefused, _is_allowed, fetch
from tests.speechserver import Page, SpeechServer

PRIVATE = (
    *("127.0.0.1", "10.0.0.8", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *("::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.8", "64:ff9b::a00:8", "2002:a00:8::1"),
)


def get(url: str, *, most: int = 1 << 20, seconds: float = 5, loopback: bool = True) -> bytes:
    return fetch(url, most=most, seconds=seconds, loopback=loopback, watch=lambda: None).data


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_a_network_of_ones_own_is_refused(address: str) -> None:
    assert not _is_allowed(ipaddress.ip_address(address), False)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert _is_allowed(ipaddress.ip_address(address), False)


def test_what_is_too_large_or_leads_elsewhere_is_refused() -> None:
    pages = {
        "/large": Page(b"x" * 5000),
        "/loop": Page(b"", location="/loop"),
        "/file": Page(b"", location="file:///etc/passwd"),
        "/within": Page(b"", location="http://169.254.169.254/latest"),
        "/good": Page(b"hello"),
    }
    reasons = {"/large": "larger", "/loop": "redirects", "/file": "only http", "/within": "no public", "/none": "404"}
    with SpeechServer(pages) as server:
        assert get(f"{server.url}/good") == b"hello"
        for path, reason in reasons.items():
            with pytest.raises(FetchRefused, match=reason):
                get(server.url + path, most=4000)
        with pytest.raises(FetchRefused, match="no public"):
            get(f"{server.url}/good", loopback=False)


def test_a_server_that_drips_is_left() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            client, _ = listener.accept()
            with client:
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                try:
                    for _ in range(100):
                        client.sendall(b"x")
                        time.sleep(0.1)
                except OSError:
                    return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        began = time.monotonic()
        with pytest.raises(FetchRefused, match="within 1 s"):
            get(f"http://127.0.0.1:{listener.getsockname()[1]}/", seconds=1)
        assert time.monotonic() - began < 8
        thread.join(5)
