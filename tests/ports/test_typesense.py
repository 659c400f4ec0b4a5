"""Typesense on a real server: what every index keeps to, what this one does besides, and all that can go wrong."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from adjutant.domain.recall import ranking
from adjutant.domain.recall.servers import find_holders, tokens
from adjutant.errors import ConfigInvalid, MirrorDiffers, MirrorUnavailable
from adjutant.index_ports import Document, Hit, Query
from adjutant.mirrors import typesense
from adjutant.mirrors.typesense import Typesense
from adjutant.mirrors.typesense_server import TypesenseServer as Client
from adjutant.store.index import IN_MEMORY
from tests.ports.search_suite import ALL, SearchIndex, SearchIndexTests
from tests.servers import KEY, Known, Liar, TypesenseServer, free_port
from tests.store.putting import PutIndex

# A request that was given up goes on in its thread; what that had open is closed when it ends, after the test may be.
pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")

NOW = "2026-11-20T09:00:00+00:00"
COLLECTIONS = ("agent_memory", "slog")
MINE, OTHER = "0123456789ab", "ba9876543210"  # ids of instances


def document(id: str, text: str, collection: str = "agent_memory", **more: Any) -> Document:
    given = {"title": "", "path": f"memory/{id}.md", "created_at": NOW, "source_sha": f"sha of {text}", **more}
    return Document(id=id, collection=collection, text=text, **given)


def asked(text: str, *collections: str, **more: Any) -> Query:
    return Query(text, collections or COLLECTIONS, now=NOW, **more)


class Searched(Typesense):
    """The server with the index of the files beside it, as a search has both; each put into one is put into both."""

    def __init__(self, held: PutIndex, *given: Any) -> None:
        super().__init__(*given)
        self.held = held

    def _fill(self, documents: Iterable[Document], place: Callable[[str], str]) -> int:
        taken: list[Document] = []
        count = super()._fill((taken.append(each) or each for each in documents), place)
        self.held.upsert(
            each._replace(source_sha=each.source_sha.encode("utf-8", "replace").decode()) for each in taken
        )
        return count

    def delete(self, collection: str, ids: Iterable[str]) -> int:
        gone = list(ids)
        self.held.delete(collection, gone)
        return super().delete(collection, gone)

    def rebuild(self, documents: Iterable[Document]) -> int:
        before = {name: [*self.held.fingerprints(name)] for name in self._names}
        done = super().rebuild(documents)
        fresh = {name: super(Searched, self).fingerprints(name) for name in before}
        for name, ids in before.items():
            self.held.delete(name, [id for id in ids if id not in fresh[name]])
        return done

    def search(self, query: Query) -> list[Hit]:
        """As a search of an instance asks it."""
        held = find_holders(self, query)
        return self.held.look_up(lambda lookup: ranking.search(lookup, query, held))


def _in_memory() -> PutIndex:
    return PutIndex(IN_MEMORY, print, nullcontext, ranking.search)


def ids(index: Searched, text: str, *collections: str, **more: Any) -> list[str]:
    return [hit.document.id for hit in index.search(asked(text, *collections, **more))]


Make = Callable[..., Searched]


@pytest.fixture
def make(typesense_server: TypesenseServer) -> Iterator[Make]:
    """The adapter of an instance: `make("mine")`, or with other `nodes`, `key`, `timeout`, `owner`."""
    made: list[Searched] = []
    held_by: dict[str, PutIndex] = {}

    def one(
        instance: str,
        nodes: list[str] | None = None,
        key: str = KEY,
        timeout: float = 5.0,
        owner: str = MINE,
    ) -> Searched:
        server = nodes or [typesense_server.url], key, timeout
        held = held_by.setdefault(instance, _in_memory())
        made.append(Searched(held, *server, instance, COLLECTIONS, Known(owner), tokens))
        return made[-1]

    yield one
    for index in made:
        index.close()


class TestTypesense(SearchIndexTests):
    @pytest.fixture
    def index(self, typesense_server: TypesenseServer) -> Iterator[SearchIndex]:
        every = (*ALL, "kb", "vault_index", "journal")
        index = Searched(_in_memory(), [typesense_server.url], KEY, 5.0, "suite", every, Known(), tokens)
        index.rebuild([])
        yield index
        index.close()


# -- names ---------------------------------------------------------------------------------------------------


def test_a_collection_is_found_under_the_name_of_its_instance(make: Make, typesense_server: TypesenseServer) -> None:
    make("my folder/1").rebuild([document("a", "Oslo")])
    status, told = typesense_server.ask("GET", "/collections/my-folder-1_agent_memory")
    assert status == 200
    assert isinstance(told, dict)
    assert told["num_documents"] == 1


def test_instances_on_one_server_see_nothing_of_each_other(make: Make) -> None:
    one, other = make("apart"), make("apart_slog")  # the worst of names: it begins as a collection of the first
    one.rebuild([document("a", "Oslo", "slog")])
    other.rebuild([document("b", "Oslo", "slog")])
    one.rebuild([document("c", "Oslo", "slog")])
    assert (ids(one, "oslo"), ids(other, "oslo")) == (["c"], ["b"])
    assert one.counts() == other.counts() == {"agent_memory": 0, "slog": 1}


def test_another_instance_of_the_same_name_is_named_and_its_documents_stand(
    make: Make,
    typesense_server: TypesenseServer,
) -> None:
    one, other = make("same"), make("same", owner=OTHER)
    one.rebuild([document("a", "Oslo", "slog")])
    for ask in (
        other.counts,
        lambda: other.fingerprints("slog"),
        lambda: other.upsert([document("b", "Bergen")]),
        lambda: other.rebuild([]),
    ):
        with pytest.raises(MirrorDiffers, match=r"another instance of this name.*`adjutant index` by hand"):
            ask()
    assert one.counts() == {"agent_memory": 0, "slog": 1}
    assert len(real_collections(typesense_server, "same")) == 2
    other.take_over()
    other.upsert([document("b", "Bergen")])
    assert ids(other, "bergen oslo") == ["b"]
    assert len(real_collections(typesense_server, "same")) == 2
    with pytest.raises(MirrorDiffers):
        one.counts()


def test_what_somebody_else_calls_as_we_would_is_never_touched(make: Make, typesense_server: TypesenseServer) -> None:
    theirs = {"name": "theirs", "fields": [{"name": "a", "type": "string"}]}
    assert typesense_server.ask("POST", "/collections", theirs)[0] == 201
    assert typesense_server.ask("POST", "/collections", {**theirs, "name": "plain_slog"})[0] == 201
    assert typesense_server.ask("PUT", "/aliases/led_slog", {"collection_name": "theirs"})[0] == 200
    before = typesense_server.ask("GET", "/collections")
    asks: tuple[Callable[[Typesense], object], ...] = (
        Typesense.counts,
        lambda index: index.upsert([document("a", "Oslo", "slog")]),
        lambda index: index.rebuild([]),
        Typesense.take_over,
    )
    for name in ("plain", "led"):
        for ask in asks:
            with pytest.raises(MirrorDiffers, match=f"`{name}_slog` is there and was not made by adjutant"):
                ask(make(name))
    assert typesense_server.ask("GET", "/collections") == before
    _, told = typesense_server.ask("GET", "/aliases/led_slog")
    assert told == {"collection_name": "theirs", "name": "led_slog"}


STRANGE = [
    "kb:a b/c.md#12",
    "2026-11-20#09:00-2",
    "S/R-1",
    "æøå 日本",
    "we`ird",
    "a,b",
    "x" * 300,
    '"',
    "\\",
    "%2F",
    "[a]",
]


def test_any_text_may_be_an_id(make: Make) -> None:
    index = make("strange")
    assert index.upsert(document(id, "tram") for id in STRANGE) == len(STRANGE)
    assert set(index.fingerprints("agent_memory")) == set(STRANGE)
    assert set(ids(index, "tram", limit=50)) == set(STRANGE)
    assert index.delete("agent_memory", [*STRANGE[:6], "never there"]) == 6
    assert set(index.fingerprints("agent_memory")) == set(STRANGE[6:])


# -- changes -------------------------------------------------------------------------------------------------


def test_searches_see_the_old_until_all_of_the_new_is_there(make: Make, typesense_server: TypesenseServer) -> None:
    index, seen = make("swap"), []
    index.rebuild([document("old", "ferry")])

    def documents() -> Iterator[Document]:
        for number in range(1200):  # more than one batch
            if number % 300 == 0:
                seen.append(ids(index, "ferry"))
            yield document(f"new-{number}", "ferry")

    assert index.rebuild(documents()) == 1200
    assert seen == [["old"]] * 4
    assert "old" not in ids(index, "ferry", limit=50)
    assert len(real_collections(typesense_server, "swap")) == len(COLLECTIONS)


def test_a_rebuild_that_was_cut_off_changes_nothing_and_is_swept_up(
    make: Make,
    typesense_server: TypesenseServer,
) -> None:
    index = make("cut")
    index.rebuild([document("old", "ferry")])

    def broken() -> Iterator[Document]:
        yield document("new", "ferry")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        index.rebuild(broken())
    assert ids(index, "ferry") == ["old"]
    assert len(real_collections(typesense_server, "cut")) == 2 * len(COLLECTIONS)
    index.rebuild([document("newest", "ferry")])
    assert ids(index, "ferry") == ["newest"]
    assert len(real_collections(typesense_server, "cut")) == len(COLLECTIONS)


def real_collections(server: TypesenseServer, instance: str) -> list[str]:
    _, told = server.ask("GET", "/collections")
    assert isinstance(told, list)
    return [each["name"] for each in told if each["name"].startswith(f"{instance}_")]


def test_a_collection_that_somebody_dropped_is_made_again(make: Make, typesense_server: TypesenseServer) -> None:
    index = make("dropped")
    index.rebuild([document("a", "ferry"), document("b", "ferry", "slog")])
    (real,) = (name for name in real_collections(typesense_server, "dropped") if "slog" in name)
    typesense_server.ask("DELETE", f"/collections/{real}")  # its alias stays, and leads to nothing
    with pytest.raises(MirrorUnavailable):
        ids(index, "ferry")
    assert index.fingerprints("slog") == {}
    assert index.delete("slog", ["b"]) == 0
    assert index.upsert([document("b", "ferry", "slog")]) == 1
    assert set(ids(index, "ferry")) == {"a", "b"}


def test_a_single_document_that_the_server_refuses_is_noticed(make: Make) -> None:
    index = make("refused")
    bad = document("bad", "tram", concepts="no list")
    with pytest.raises(MirrorUnavailable, match="took 2 of 3 documents"):
        index.upsert([document("a", "tram"), bad, document("b", "tram")])
    assert set(index.fingerprints("agent_memory")) == {"a", "b"}


def test_what_no_file_encoding_can_hold_does_no_harm(make: Make) -> None:
    index = make("surrogates")
    assert index.upsert([document("a", "lone \ud800 half, NUL \0, line \u2028 end, tram")]) == 1
    (hit,) = index.search(asked("tram"))
    assert hit.document.text == "lone ? half, NUL \0, line \u2028 end, tram"


# -- searches ------------------------------------------------------------------------------------------------


def test_more_words_than_one_request_may_hold_are_all_asked(make: Make) -> None:
    index = make("wordy")
    words = [f"word{number}" for number in range(40)]
    index.rebuild([document("first", words[0]), document("last", words[31], "slog")])
    assert set(ids(index, " ".join(words))) == {"first", "last"}


def test_a_word_counts_by_its_rarity_in_whatever_collection_it_stands(make: Make) -> None:
    index = make("rare")
    index.rebuild(
        [
            *(document(str(number), "the tram to Oslo is late") for number in range(300)),
            document("rare", "the tram to Narvik is late", "slog"),
        ]
    )
    assert ids(index, "Is the late tram to Narvik?")[0] == "rare"


def test_a_document_beyond_the_first_page_of_a_common_word_is_found_by_its_rare_one(make: Make) -> None:
    index = make("deep")
    index.rebuild(
        [
            document("rare", "tram Narvik", created_at="2020-01-01T00:00:00+00:00"),
            *(document(str(number), "tram " * 3) for number in range(600)),
        ]
    )
    assert ids(index, "tram narvik")[0] == "rare"


def test_beginnings_are_found_where_no_whole_word_is(make: Make) -> None:
    index = make("beginning")
    index.rebuild([document("a", "the kubernetes cluster")])
    assert ids(index, "kuberne") == ["a"]


def test_a_collection_that_was_never_filled_is_no_empty_answer(make: Make) -> None:
    with pytest.raises(MirrorUnavailable, match="does not hold the documents"):
        make("never").search(asked("tram"))
    assert make("never").fingerprints("slog") == {}
    assert make("never").delete("slog", ["a"]) == 0


# -- trouble of a real server --------------------------------------------------------------------------------


def test_what_was_taken_outlives_a_killed_server(make: Make, typesense_server: TypesenseServer) -> None:
    index = make("killed", timeout=1.0)
    index.rebuild(document(str(number), "tram") for number in range(1500))
    typesense_server.kill()
    try:
        began = time.monotonic()
        for ask in (lambda: index.search(asked("tram")), lambda: index.upsert([document("x", "tram")]), index.counts):
            with pytest.raises(MirrorUnavailable, match="no connection"):
                ask()
        assert time.monotonic() - began < 3.0
    finally:
        typesense_server.start()  # says it is healthy before its log is read again

    def all_there() -> bool:
        try:
            return index.counts() == {"agent_memory": 1500, "slog": 0}
        except MirrorUnavailable:
            return False

    typesense_server.wait_for(all_there)
    assert len(ids(index, "tram")) == 8


def test_a_server_that_is_stopped_costs_no_more_than_the_timeout(
    make: Make,
    typesense_server: TypesenseServer,
) -> None:
    make("frozen").rebuild([document("a", "tram")])
    index = make("frozen", timeout=0.5)
    index.search(asked("tram"))
    anew, more = make("frozen", timeout=0.5), make("frozen", timeout=0.5)  # a client takes long to make, too
    typesense_server.freeze()
    try:
        for ask in (
            lambda: index.search(asked("tram")),
            lambda: anew.rebuild([]),
            lambda: more.upsert([document("b", "tram")]),
        ):
            began = time.monotonic()
            with pytest.raises(MirrorUnavailable, match=r"no answer within 0\.5 s"):
                ask()
            assert time.monotonic() - began < 0.9
    finally:
        typesense_server.thaw()
    assert ids(index, "tram") == ["a"]


def test_a_node_that_is_away_or_hangs_is_passed_over(make: Make, typesense_server: TypesenseServer) -> None:
    def hang(line: socket.socket, closing: threading.Event) -> None:
        closing.wait(10)

    with Liar(hang) as hanging:
        for other in (f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{hanging.port}"):
            index = make("cluster", [other, typesense_server.url], timeout=2.0)
            began = time.monotonic()
            index.upsert([document("a", "tram")])
            assert [ids(index, "tram") for _ in range(3)] == [["a"]] * 3
            assert time.monotonic() - began < 4.0


def test_a_wrong_key_is_named_and_no_text_shows_one(
    make: Make,
    typesense_server: TypesenseServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    told = []
    for key in ("canary-wrong", KEY):
        index = make("keys", key=key, nodes=[typesense_server.url if key != KEY else "http://127.0.0.1:1"])
        with pytest.raises(MirrorUnavailable) as caught:
            index.search(asked("tram"))
        told += [caught.value.message, caught.value.fix, repr(caught.value.__context__), repr(vars(index))]
    assert "TYPESENSE_API_KEY is missing, not accepted" in told[0]
    with pytest.raises(ConfigInvalid) as refused:
        make("keys", key="canary\nfolded")
    told.append(refused.value.message)
    assert "canary" not in "\n".join([*told, *(record.getMessage() for record in caplog.records)])


# -- trouble of one that lies --------------------------------------------------------------------------------

ONE = {"found": 1, "out_of": 1, "hits": [{"document": {"id": "a", "group": ""}}]}
LIES: dict[str, tuple[int, object]] = {
    "500": (500, {"message": "no"}),
    "503": (503, {"message": "Not Ready or Lagging"}),
    "302": (302, {}),
    "no json": (200, b"<html>proxy</html>"),
    "a list": (200, []),
    "a number": (200, 7),
    "nothing": (200, b""),
    "no results": (200, {"results": []}),
    "odd results": (200, {"results": [7]}),
    "half results": (200, {"results": [{"found": 1}]}),
    "odd hits": (200, {"results": [{**ONE, "hits": [{}]}]}),
    "an error in it": (200, {"results": [{"error": "odd", "code": 400}]}),
    "documents without an id": (200, {"results": [{**ONE, "hits": [{"document": {}}]}]}),
    "deep": (200, b"[" * 100_000),
}


def answering(status: int, body: object) -> Callable[[socket.socket, threading.Event], None]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"

    def answer(line: socket.socket, closing: threading.Event) -> None:
        line.recv(65536)
        line.sendall(f"{head}Location: http://127.0.0.1:1/\r\nConnection: close\r\n\r\n".encode() + data)

    return answer


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_what_answers_oddly_is_unavailable(make: Make, lie: tuple[int, object]) -> None:
    with Liar(answering(*lie)) as liar:
        index = make("lie", [f"http://127.0.0.1:{liar.port}"], timeout=1.0)
        for ask in (
            lambda: index.search(asked("tram", "slog")),
            index.counts,
            lambda: index.upsert([document("a", "tram")]),
            lambda: index.rebuild([]),
        ):
            with pytest.raises(MirrorUnavailable, match=r"^typesense at 127\.0\.0\.1:\d+: "):
                ask()


def test_a_cluster_without_a_majority_takes_nothing(make: Make) -> None:
    with Liar(answering(200, {"version": "27.1", "state": 3})) as liar:
        index = make("lie", [f"http://127.0.0.1:{liar.port}"])
        with pytest.raises(MirrorUnavailable, match="its cluster has no leader"):
            index.version()


def test_a_cluster_that_has_a_leader_again_is_used_at_once_though_one_node_stays_away(make: Make) -> None:
    electing = threading.Event()

    def answer(line: socket.socket, closing: threading.Event) -> None:
        told = (200, {"version": "27.1", "state": 1}) if electing.is_set() else (500, {"message": "no leader"})
        answering(*told)(line, closing)

    with Liar(answer) as liar:
        for order in (1, -1):
            electing.clear()
            nodes = [f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{liar.port}"][::order]
            index = make("elected", nodes)
            for _ in range(3):
                with pytest.raises(MirrorUnavailable):
                    index.version()
            electing.set()
            assert [index.version() for _ in range(3)] == ["27.1"] * 3


def test_the_node_that_answered_is_asked_again_as_another_may_be_behind(make: Make) -> None:
    empty = answering(200, {"aliases": []})
    with Liar(empty) as one, Liar(empty) as two:
        index = make("stays", [f"http://127.0.0.1:{each.port}" for each in (one, two)])
        for _ in range(3):
            assert index.fingerprints("slog") == {}
        assert sorted((one.connections, two.connections)) == [0, 3]


@pytest.mark.parametrize(
    ("version", "good"),
    [
        ("0.23.1", False),
        ("0.9", False),
        ("0.24.1", True),
        ("0.25.2", True),
        ("27.1", True),
        ("31.0.rc1", True),
        ("nightly", True),
    ],
)
def test_a_version_too_old_is_not_used(make: Make, version: str, good: bool) -> None:
    with Liar(answering(200, {"version": version, "state": 1})) as liar:
        index = make("lie", [f"http://127.0.0.1:{liar.port}"])
        if good:
            assert index.version() == version
            return
        with pytest.raises(MirrorUnavailable, match=r"0\.24 or later is needed"):
            index.version()


def test_the_requests_of_one_answer_have_one_time_together(make: Make) -> None:
    index = make("hurry", timeout=0.5)
    index.rebuild([document("a", "tram")])
    assert index.search(asked("tram"))
    index.hurry()
    time.sleep(0.6)
    with pytest.raises(MirrorUnavailable, match=r"no answer within 0\.5 s"):
        index.search(asked("tram"))


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"], ids=["hang", "drip"])
def test_bytes_that_drip_or_never_come_do_not_keep_it(make: Make, head: str) -> None:
    def drip(line: socket.socket, closing: threading.Event) -> None:
        line.sendall(head.encode())
        while not closing.wait(0.05):
            line.sendall(b" " if head else b"")

    with Liar(drip) as liar:
        index = make("lie", [f"http://127.0.0.1:{liar.port}"], timeout=0.5)
        for ask in (lambda: index.search(asked("tram")), lambda: index.upsert([document("a", "tram")])):
            began = time.monotonic()
            with pytest.raises(MirrorUnavailable, match="no answer within"):
                ask()
            assert time.monotonic() - began < 0.9


def test_nobody_is_asked_before_something_is_wanted(make: Make) -> None:
    with Liar(answering(500, {})) as liar:
        index = make("idle", [f"http://127.0.0.1:{liar.port}"])
        assert index.search(asked("!?")) == []
        assert liar.connections == 0


def test_the_limits_are_those_of_the_server(typesense_server: TypesenseServer) -> None:
    """What the adapter relies on: one search more in a request, or one hit more on a page, is refused."""
    server = Client([typesense_server.url], KEY, 5.0)
    one = {"collection": "none", "q": "*"}
    with pytest.raises(MirrorUnavailable, match="limit_multi_searches"):
        server.multi_search([one] * (typesense.SEARCHES + 1))
    with pytest.raises(MirrorUnavailable, match="does not hold"):
        server.multi_search([one] * typesense.SEARCHES)
    server.close()
