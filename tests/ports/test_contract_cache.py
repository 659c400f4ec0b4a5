"""Every copy of the contract keeps to the same promises; Redis on a real server."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import redis as client

from adjutant.errors import ConfigInvalid, MirrorDiffers, MirrorUnavailable
from adjutant.index_ports import Owner
from adjutant.mirrors.redis import Redis
from adjutant.ports import ContractCache
from tests.servers import Known, Liar, RedisServer, free_port

PASSWORD = "canary,pass:word@redis"
QUOTED = "canary%2Cpass%3Aword%40redis"


def contract(version: int, mark: str = "") -> tuple[int, str, str]:
    """What is pushed of a contract of this version."""
    payload = {"version": version, "directives": [{"text": f"svar på norsk {mark}"}], "hash": f"h{version}{mark}"}
    return version, f"h{version}{mark}", json.dumps(payload, ensure_ascii=False)


class ContractCacheTests:
    """A subclass gives the adapter of an instance, and how others hear of a push."""

    def make(self, instance: str, owner: Owner | None = None) -> ContractCache:
        raise AssertionError("each adapter has its own")

    def heard(self, instance: str) -> Iterator[str]:
        """The hashes told from now on; the first `next` begins to listen and gives ""."""
        raise AssertionError("each adapter has its own")

    def test_nothing_stands_there_before_the_first_push(self) -> None:
        assert self.make("empty").read() is None

    def test_what_was_pushed_is_read_to_the_byte(self) -> None:
        cache = self.make("bytes")
        assert cache.push(*contract(1))
        assert cache.read() == contract(1)[2]

    def test_only_a_higher_version_is_taken(self) -> None:
        cache = self.make("higher")
        assert cache.push(*contract(9))
        assert not cache.push(*contract(8, "late"))
        assert not cache.push(*contract(9, "again"))
        assert cache.read() == contract(9)[2]
        assert cache.push(*contract(10))
        assert cache.read() == contract(10)[2]

    def test_what_the_file_says_is_taken_whatever_stood_there(self) -> None:
        cache = self.make("forced")
        cache.push(*contract(9))
        assert cache.push(*contract(2), force=True)
        assert cache.read() == contract(2)[2]

    def test_late_pushes_never_win_however_they_overlap(self) -> None:
        versions = list(range(1, 61))
        Random(7).shuffle(versions)
        wrote: list[int] = []

        def push(mine: list[int]) -> None:
            cache = self.make("race")
            wrote.extend(version for version in mine if cache.push(*contract(version)))

        threads = [threading.Thread(target=push, args=(versions[part::6],)) for part in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert self.make("race").read() == contract(60)[2]
        assert 60 in wrote

    def test_a_push_that_was_taken_is_told_and_no_other(self) -> None:
        told, cache = self.heard("news"), self.make("news")
        assert next(told) == ""
        cache.push(*contract(2))
        cache.push(*contract(1))
        cache.push(*contract(3))
        assert [next(told), next(told)] == ["h2", "h3"]

    def test_two_instances_share_nothing(self) -> None:
        self.make("one").push(*contract(5))
        assert self.make("other").read() is None
        assert self.make("other").push(*contract(1))
        assert self.make("one").read() == contract(5)[2]

    def test_what_is_forgotten_is_gone_and_any_version_may_follow(self) -> None:
        cache = self.make("forgotten")
        cache.forget()
        cache.push(*contract(9))
        cache.forget()
        assert cache.read() is None
        assert cache.push(*contract(1))
        assert cache.read() == contract(1)[2]

    def test_another_instance_of_the_same_name_is_named_and_its_copy_stands(self) -> None:
        one, other = self.make("same"), self.make("same", Known("ba9876543210"))
        one.push(*contract(5))
        for ask in (lambda: other.push(*contract(9), force=True), other.read, other.forget):
            with pytest.raises(MirrorDiffers, match=r"another instance of this name.*`adjutant index` by hand"):
                ask()
        assert one.read() == contract(5)[2]
        other.take_over()
        assert other.push(*contract(1), force=True)
        assert other.read() == contract(1)[2]
        with pytest.raises(MirrorDiffers):
            one.push(*contract(6))


class TestRedis(ContractCacheTests):
    @pytest.fixture(autouse=True)
    def server(self, redis_server: RedisServer) -> Iterator[None]:
        self.url = redis_server.url
        yield
        with client.Redis.from_url(self.url) as line:
            line.flushall()

    def make(self, instance: str, owner: Owner | None = None) -> Redis:
        return Redis(self.url, instance, 5.0, owner or Known())

    def heard(self, instance: str) -> Iterator[str]:
        with client.Redis.from_url(self.url) as line, line.pubsub(ignore_subscribe_messages=False) as listening:
            listening.subscribe(f"adjutant:{instance}:behavior")
            assert (listening.get_message(timeout=5) or {})["type"] == "subscribe"
            yield ""
            while message := listening.get_message(timeout=5):
                yield message["data"].decode()

    def test_it_stands_under_the_name_that_other_programs_know(self) -> None:
        self.make("mine").push(*contract(3))
        with client.Redis.from_url(self.url) as line:
            held = line.get("adjutant:mine:behavior:contract")
            assert isinstance(held, bytes)
            assert json.loads(held)["version"] == 3

    @pytest.mark.parametrize("held", [b"", b"{", b"[1]", b'{"version": "many"}', b"\xff\xfe", b"null"])
    def test_what_is_no_contract_is_written_over(self, held: bytes) -> None:
        with client.Redis.from_url(self.url) as line:
            line.set("adjutant:odd:behavior:contract", held)
        cache = self.make("odd")
        assert cache.read() == held.decode("utf-8", "replace")
        assert cache.push(*contract(1))
        assert cache.read() == contract(1)[2]

    def test_what_is_no_text_at_all_is_a_trouble_with_a_name(self) -> None:
        with client.Redis.from_url(self.url) as line:
            line.lpush("adjutant:list:behavior:contract", "x")
        with pytest.raises(MirrorUnavailable, match="WRONGTYPE"):
            self.make("list").push(*contract(1))

    def test_a_host_that_is_away_is_passed_over(self) -> None:
        place = self.url.partition("://")[2]
        cache = Redis(f"redis://127.0.0.1:{free_port()},{place}", "hosts", 2.0, Known())
        assert cache.push(*contract(1))
        assert cache.read() == contract(1)[2]


def test_the_one_that_may_be_written_to_is_found(redis_server: RedisServer, tmp_path: Path) -> None:
    replica = RedisServer(tmp_path, "--replicaof", "127.0.0.1", str(redis_server.port))
    replica.start()
    try:
        hosts = f"redis://127.0.0.1:{replica.port},127.0.0.1:{redis_server.port}/0"
        assert Redis(hosts, "replicated", 5.0, Known()).push(*contract(4))
        copy = Redis(replica.url, "replicated", 5.0, Known())
        replica.wait_for(lambda: copy.read() == contract(4)[2])
        with pytest.raises(MirrorUnavailable, match="a replica, which may not be written to"):
            copy.push(*contract(5))
    finally:
        replica.kill()


# -- trouble -------------------------------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own, with a password."""
    server = RedisServer(tmp_path, "--requirepass", PASSWORD)
    server.start()
    yield server
    server.kill()


def with_password(server: RedisServer, password: str = QUOTED) -> str:
    return f"redis://:{password}@127.0.0.1:{server.port}/0"


@pytest.mark.server
def test_a_server_that_is_stopped_costs_no_more_than_the_timeout_and_works_again_after(mine: RedisServer) -> None:
    cache = Redis(with_password(mine), "mine", 0.4, Known())
    assert cache.push(*contract(1))
    mine.freeze()
    began = time.monotonic()
    with pytest.raises(MirrorUnavailable, match=r"no answer within 0\.4 s"):
        cache.push(*contract(2))
    with pytest.raises(MirrorUnavailable):
        Redis(with_password(mine), "mine", 0.4, Known()).read()
    assert time.monotonic() - began < 1.2
    mine.thaw()
    mine.wait_for(lambda: cache.read() is not None)
    assert not cache.push(*contract(1))
    assert cache.push(*contract(3))


@pytest.mark.server
def test_a_user_who_may_do_no_more_than_the_page_says_is_enough(mine: RedisServer) -> None:
    with client.Redis.from_url(with_password(mine)) as line:
        line.execute_command(
            "ACL",
            "SETUSER",
            "adj",
            "on",
            ">canary-user",
            "~adjutant:*",
            "&adjutant:*",
            "+get",
            "+set",
            "+del",
            "+eval",
            "+publish",
        )
    cache = Redis(f"redis://adj:canary-user@127.0.0.1:{mine.port}/0", "mine", 2.0, Known())
    assert cache.push(*contract(1))
    assert cache.read() == contract(1)[2]
    cache.forget()
    assert cache.read() is None


@pytest.mark.server
def test_what_was_taken_outlives_a_killed_server(mine: RedisServer) -> None:
    cache = Redis(with_password(mine), "mine", 2.0, Known())
    cache.push(*contract(7))
    mine.kill()
    with pytest.raises(MirrorUnavailable, match="no connection"):
        cache.read()
    mine.start()
    assert cache.read() == contract(7)[2]


@pytest.mark.server
def test_no_text_shows_the_password(mine: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = []
    wrong = ("canary-of-another", "canary%2Cother")
    urls = [*(with_password(mine, password) for password in wrong), f"redis://canary:{QUOTED}@127.0.0.1:1/0"]
    for url in urls:
        with pytest.raises(MirrorUnavailable) as caught:
            Redis(url, "mine", 2.0, Known()).push(*contract(1))
        told += [caught.value.message, caught.value.fix, repr(caught.value.__cause__)]
        told.append(repr(Redis(url, "mine", 1.0, Known())))
    for url in ("redis://:canary@h:port/0", "http://canary@h", "redis://:canary@[::1/0", "canary"):
        with pytest.raises(ConfigInvalid) as refused:
            Redis(url, "mine", 1.0, Known())
        told += [refused.value.message, refused.value.fix]
    assert "REDIS_URL is not accepted" in told[0]
    assert "canary" not in "\n".join([*told, *(record.getMessage() for record in caplog.records)])


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"+OK\r\n",
        b"HTTP/1.1 400\r\n\r\n",
        b"$99999999\r\nx",
        b"\xff" * 64,
    ],
    ids=repr,
)
def test_what_is_no_redis_is_a_trouble_within_the_timeout(answer: bytes) -> None:
    def lie(line: socket.socket, closing: threading.Event) -> None:
        line.sendall(answer)
        closing.wait(5 if answer else 0)

    with Liar(lie) as liar:
        began = time.monotonic()
        with pytest.raises(MirrorUnavailable):
            Redis(f"redis://127.0.0.1:{liar.port}/0", "mine", 0.5, Known()).push(*contract(1))
        assert time.monotonic() - began < 1.0
        assert liar.connections <= 2


def test_bytes_that_drip_do_not_keep_it() -> None:
    def drip(line: socket.socket, closing: threading.Event) -> None:
        line.sendall(b"$100000\r\n")
        while not closing.wait(0.05):
            line.sendall(b"x")

    with Liar(drip) as liar:
        began = time.monotonic()
        with pytest.raises(MirrorUnavailable, match="no answer within"):
            Redis(f"redis://127.0.0.1:{liar.port}/0", "mine", 0.5, Known()).read()
        assert time.monotonic() - began < 1.0
