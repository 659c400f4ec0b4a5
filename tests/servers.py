"""Real servers for the tests: Typesense and Redis on loopback, in folders of their own, ended by their process id."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import need

KEY = "canary-key-of-the-server"
SECONDS = 30.0


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Known:
    """An Owner whose id stands fast; that of another instance is another."""

    def __init__(self, id: str = "0123456789ab") -> None:
        self.id = id

    def read(self) -> str:
        return self.id

    def make(self) -> str:
        return self.id


class Server:
    """A child process: `start`, `stop`, `kill` it, `freeze` and `thaw`; `ready()` tells whether it answers."""

    def __init__(self, command: list[str], ready: Callable[[], bool], folder: Path, **environment: str) -> None:
        self._command, self._ready, self.folder, self._environment = command, ready, folder, environment
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.begin()
        self.wait_for(self._ready)

    def begin(self) -> None:
        """Starts it, and does not wait: a server of a cluster is ready when others are there too."""
        with (self.folder / "log").open("ab") as log:
            self._child = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={"PATH": os.defpath, **self._environment},
            )

    def is_ready(self) -> bool:
        return self._ready()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not condition():
            assert self._child is None or self._child.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < end, "the server did not get ready"
            time.sleep(0.02)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        assert self._child is not None
        self._child.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._child is not None
        self._child.send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._child is not None:
            self._child.send_signal(signal.SIGCONT)
            self._child.send_signal(how)
            self._child.wait(SECONDS)
            self._child = None


class RedisServer(Server):
    """`url` is its address; `options` go to the program. It keeps what was acknowledged."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        program = need("redis-server")
        super().__init__(
            [
                program,
                "--port",
                str(self.port),
                "--bind",
                "127.0.0.1",
                "--dir",
                str(folder),
                "--save",
                "",
                "--appendonly",
                "yes",
                "--appendfsync",
                "always",
                "--repl-diskless-sync-delay",
                "0",
                *options,
            ],
            self._answers,
            folder,
        )

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as line:
                line.sendall(b"PING\r\n")
                return line.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False


class TypesenseServer(Server):
    """`url` is its address, `peers` how a cluster's file names it, KEY its key; `options` go to the program."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, peering = free_port(), free_port()
        self.url, self.peers = f"http://127.0.0.1:{self.port}", f"127.0.0.1:{peering}:{self.port}"
        data = folder / "data"
        data.mkdir()
        super().__init__(
            [
                need("typesense-server"),
                "--data-dir",
                str(data),
                "--api-address",
                "127.0.0.1",
                "--api-port",
                str(self.port),
                "--peering-address",
                "127.0.0.1",
                "--peering-port",
                str(peering),
                *options,
            ],
            self._healthy if options else self._writes,
            folder,
            TYPESENSE_API_KEY=KEY,
        )

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, object]:
        """Status and decoded answer of a request past every client."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            data = None if body is None else json.dumps(body)
            line.request(method, path, data, {"X-TYPESENSE-API-KEY": KEY})
            answer = line.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            line.close()

    def _healthy(self) -> bool:
        try:
            return self.ask("GET", "/health") == (200, {"ok": True})
        except OSError:
            return False

    def _writes(self) -> bool:
        """After a kill it calls itself healthy while it still reads its log, and refuses what is to be written."""
        try:
            return self._healthy() and self.ask("PUT", "/aliases/probe", {"collection_name": "none"})[0] == 200
        except OSError:
            return False


class Liar:
    """Listens and answers every connection by `answer(connection, closing)`. A context manager; `port` is its own."""

    def __init__(self, answer: Callable[[socket.socket, threading.Event], None]) -> None:
        self._answer, self._closing = answer, threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.connections = 0
        self._threads = [threading.Thread(target=self._serve, daemon=True)]

    def __enter__(self) -> Liar:
        self._threads[0].start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._closing.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        self._listening.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                line, _ = self._listening.accept()
            except OSError:
                return  # the test is over
            self.connections += 1
            self._threads.append(threading.Thread(target=self._one, args=(line,), daemon=True))
            self._threads[-1].start()

    def _one(self, line: socket.socket) -> None:
        with line:
            try:
                self._answer(line, self._closing)
            except OSError:
                pass  # the other side did not wait


@pytest.fixture(scope="session")
def typesense_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TypesenseServer]:
    """One for all tests, which keep apart by the names of their instances. Who stops it starts it again."""
    server = TypesenseServer(tmp_path_factory.mktemp("typesense"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One for all tests, which keep apart by the names of their instances. Who stops it starts it again."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()
