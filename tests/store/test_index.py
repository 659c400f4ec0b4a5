"""The index's file: made anew when damaged, whole after a kill, written by several, read while it is rebuilt."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.recall import ranking
from adjutant.errors import IoFailed, MirrorUnavailable
from adjutant.index_ports import Document, Query
from adjutant.store.index import Index
from adjutant.store.index_tables import FileStamp
from tests.ports.search_suite import MEMORY, TALK, document, messages
from tests.sampling import taken
from tests.store.conftest import full
from tests.store.putting import PutIndex

SEEN = FileStamp(10, 20, "ab" * 32)
WRITER = """
import sys
from contextlib import nullcontext
sys.path.insert(0, sys.argv[1])
from adjutant.store.index import Index
from adjutant.domain.recall import ranking
from tests.store.test_index import SEEN, file
index = Index(sys.argv[2], print, nullcontext, ranking.search)
print("ready", flush=True)
if sys.argv[3] == "rebuild":
    while True:
        index.rebuild_files([("agent_memory", "old.md", SEEN, file("old", 300))])
for number in range(int(sys.argv[4])):
    index.put_file("agent_memory", f"{sys.argv[3]}{number}.md", SEEN, file(f"{sys.argv[3]}{number}", 3))
"""


class Held(PutIndex):
    """An index that keeps what it warned of, and how often it took the lock."""

    def __init__(self, path: Path) -> None:
        self.warned: list[str] = []
        self.locked = 0
        super().__init__(str(path), self.warned.append, self._hold, ranking.search)

    @contextmanager
    def _hold(self) -> Iterator[None]:
        self.locked += 1
        yield


def file(name: str, count: int) -> list[Document]:
    return [document(f"{name}-{at}", f"the key number {at} of {name}", path=f"{name}.md") for at in range(count)]


def found(index: Index, text: str = "key", limit: int = 100) -> list[str]:
    hits = index.search(Query(text, (MEMORY, TALK), limit=limit, now="2026-11-20T09:00:00+00:00"))
    return [hit.document.id for hit in hits]


def words(index: Index) -> set[str]:
    """Every word that the full text index holds."""

    def read(db: sqlite3.Connection) -> set[str]:
        db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, found, row)")
        return {word for (word,) in db.execute("SELECT term FROM words")}

    return index.do(read)


def whole(path: Path) -> bool:
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO found(found) VALUES('integrity-check')")
        sound: bool = db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    return sound


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Held]:
    index = Held(tmp_path / "state" / "index.sqlite")
    yield index
    index.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index.sqlite"


def start(path: Path, *words: str) -> subprocess.Popen[str]:
    checkout = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(checkout), str(path), *words],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    return child


# -- files and their documents -------------------------------------------------------------------------------


def test_a_file_is_known_as_it_was_seen(index: Held) -> None:
    assert index.list_seen(MEMORY) == {}
    assert index.put_file(MEMORY, "a.md", SEEN, file("a", 2)) == (2, 0)
    later = FileStamp(11, 21, "cd" * 32)
    index.saw(MEMORY, "a.md", later)
    assert index.list_seen(MEMORY) == {"a.md": later}
    assert index.list_seen("slog") == {}
    assert index.counts() == {MEMORY: 2}


def test_folders_of_which_nothing_is_to_be_known_are_left_out(index: Held) -> None:
    for path in ("top.md", "notes/a.md", "notes/deep/b.md", "/away/c.md"):
        index.put_file(MEMORY, path, SEEN, file(path.removesuffix(".md"), 1))
    assert index.list_seen(MEMORY, {"notes", ""}) == {"notes/deep/b.md": SEEN, "/away/c.md": SEEN}
    index.drop_file(MEMORY, "notes/deep/b.md")
    assert index.list_seen(MEMORY).keys() == {"top.md", "notes/a.md", "/away/c.md"}
    assert index.do(lambda db: db.execute("SELECT path FROM folders ORDER BY 1").fetchall()) == [
        ("",),
        ("/away/",),
        ("notes/",),
    ]


def test_a_rebuild_that_was_cut_off_leaves_what_was_there_and_nothing_else(index: Held, path: Path) -> None:
    index.put_file(MEMORY, "a.md", SEEN, file("a", 2))

    def files() -> Iterator[tuple[str, str, FileStamp, list[Document]]]:
        yield MEMORY, "b.md", SEEN, file("b", 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.rebuild_files(files())
    assert set(found(index)) == {"a-0", "a-1"}
    assert index.list_seen(MEMORY).keys() == {"a.md"}
    assert whole(path)


def test_room_that_is_free_is_given_back(index: Held, path: Path) -> None:
    def long(name: str) -> list[Document]:
        return [each._replace(text=f"{each.text} {name * 100_000}") for each in file(name, 60)]

    index.put_file(MEMORY, "a.md", SEEN, file("a", 2))
    index.put_file(MEMORY, "b.md", SEEN, long("b"))
    index.drop_file(MEMORY, "b.md")
    index.close()
    before = path.stat().st_size
    index.tidy()
    index.close()
    assert path.stat().st_size < before / 10
    assert set(found(index)) == {"a-0", "a-1"}
    assert whole(path)


def test_only_what_changed_in_a_file_is_written(index: Held) -> None:
    documents = file("a", 8)
    index.put_file(MEMORY, "a.md", SEEN, documents)
    documents[3] = documents[3]._replace(text="another text", source_sha="other")
    assert index.put_file(MEMORY, "a.md", SEEN, documents) == (1, 0)
    assert index.put_file(MEMORY, "a.md", SEEN, documents[:5]) == (0, 3)
    assert index.put_file(MEMORY, "a.md", SEEN, [each._replace(concepts=("x",)) for each in documents[:5]]) == (5, 0)
    assert found(index, "another text") == ["a-3"]
    assert index.count(MEMORY) == 5
    assert index.drop_file(MEMORY, "a.md") == 5
    assert found(index) == []
    assert index.list_seen(MEMORY) == {}


def test_an_id_that_moves_to_another_file_is_one_document(index: Held) -> None:
    index.put_file(MEMORY, "a.md", SEEN, file("a", 1))
    index.put_file(MEMORY, "b.md", SEEN, [file("a", 1)[0]._replace(path="b.md")])
    assert index.count(MEMORY) == 1
    assert [each.path for each in index.documents(MEMORY)] == ["b.md"]
    index.put_file(MEMORY, "a.md", SEEN, [])
    assert index.count(MEMORY) == 1


def test_documents_come_back_as_they_were_put(index: Held) -> None:
    said = messages("s", *((name, f"{name} says {number}") for number in range(12) for name in ("Ann", "Bob")))
    odd = document(
        "odd",
        "text\0with odd \ud800 parts\r\n",
        title="Ünïcode",
        tags=("a b", "c"),
        concepts=("x", "y"),
        created_at="yesterday",
        updated_at="2026-11-20",
        source_sha="AB",
        group="g",
        context="near",
        level=2,
    )
    index.put_file(TALK, said[0].path, SEEN, said)
    plain = document("plain", "x", created_at="2026-11-20T09:00:00.5+01:00", trust="untrusted", path="/o/p")
    index.upsert([odd, plain])
    assert list(index.documents(TALK)) == said
    back = {each.id: each for each in index.documents(MEMORY)}
    assert back["odd"] == odd._replace(text="text\0with odd ? parts\r\n")
    assert back["plain"] == plain
    index.rebuild_files([(TALK, said[0].path, SEEN, said)])
    assert list(index.documents(TALK)) == said
    assert index.list_seen(TALK) == {said[0].path: SEEN}


def test_a_message_that_is_added_to_its_session_is_written_with_its_neighbours_only(index: Held) -> None:
    said = messages("s", *(("Ann", f"line {number}") for number in range(9)))
    index.put_file(TALK, said[0].path, SEEN, said[:8])
    assert index.put_file(TALK, said[0].path, SEEN, said) == (3, 0)
    assert list(index.documents(TALK)) == said


def test_messages_stand_in_the_order_of_their_file(index: Held) -> None:
    said = messages("s", *(("Ann", f"line {number}") for number in range(9)))
    for order in ((0, 1, 2, 5, 6), (0, 1, 2, 3, 4, 5, 6), (1, 0, 2, 3), (7, 0, 1), (0, 1)):
        wanted = [said[number] for number in order]
        index.put_file(TALK, said[0].path, SEEN, wanted)
        assert list(index.documents(TALK)) == wanted
        assert index.count(TALK) == len(wanted)


def test_a_hidden_message_is_no_answer_by_its_neighbours_either(index: Held) -> None:
    said = messages("s", ("Ann", "Is the kayak sold?"), ("Bob", "No"), ("Bob", "Yes"))
    index.put_file(TALK, said[0].path, SEEN, [said[0], said[1]._replace(superseded=True), said[2]])
    assert found(index, "kayak") == ["s/m0", "s/m2"]


def test_neighbours_end_with_the_file_and_with_a_pause(index: Held) -> None:
    morning = messages("s", ("Ann", "Is the kayak sold?"))
    same = messages("s", ("x", "x"), ("Bob", "Yes, since Monday"))[1:]
    evening = [each._replace(id="s/late", created_at="2026-11-19T22:00:00+00:00") for each in same]
    index.put_file(TALK, morning[0].path, SEEN, [*morning, *evening])
    index.put_file(TALK, "t", SEEN, [same[0]._replace(id="t/1", path="t", group="t", context="")])
    assert found(index, "kayak") == ["s/m0"]
    index.put_file(TALK, morning[0].path, SEEN, [*morning, *same])
    assert found(index, "kayak") == ["s/m0", "s/m1"]


def test_what_is_put_together_is_there_together_or_not_at_all(index: Held, path: Path) -> None:
    other = Held(path)
    with pytest.raises(ZeroDivisionError), index.together():
        index.put_file(MEMORY, "a.md", SEEN, file("a", 1))
        assert found(other) == []
        assert found(index) == ["a-0"]
        raise ZeroDivisionError
    assert found(index) == []
    with index.together(), index.together():
        index.put_file(MEMORY, "a.md", SEEN, file("a", 1))
        index.keep("x", "y")
    assert found(other) == ["a-0"]
    assert other.read_kept("x") == "y"
    assert other.read_kept("z") == ""
    other.close()


@pytest.mark.parametrize(
    "stamp",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-11-20T09:00:00+05:30",
    ],
)
def test_any_time_that_a_record_gives_comes_back_as_it_was(path: Path, stamp: str) -> None:
    index = Held(path)
    times = ((stamp, ""), (stamp, stamp), (stamp, "2026-11-20T08:00:00+01:00"), ("", stamp))
    put = [
        document(f"a{number}", "the key", path="a.md", created_at=made, updated_at=changed)
        for number, (made, changed) in enumerate(times)
    ]
    index.put_file(MEMORY, "a.md", SEEN, put)
    assert list(index.documents(MEMORY)) == put
    index.close()


# -- a damaged file ------------------------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database " * 1000)


def truncated(path: Path) -> None:
    os.truncate(path, os.path.getsize(path) // 2 // 4096 * 4096 + 100)


def header_only(path: Path) -> None:
    os.truncate(path, 60)


def of_a_later_release(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()


def of_somebody_else(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE bookmarks(url)")
    db.close()


def without_a_table(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE totals")
    db.close()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "letter.txt").write_text("somebody's")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "elsewhere")


def of_an_earlier_release(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()


DAMAGES = (
    garbage,
    truncated,
    header_only,
    of_a_later_release,
    of_an_earlier_release,
    of_somebody_else,
    without_a_table,
    a_folder,
    a_pipe,
    a_link,
)
WRONG: dict[object, str] = {
    of_a_later_release: "is of another release",
    of_an_earlier_release: "is of another release",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_made_anew_and_that_is_said_once(tmp_path: Path, path: Path, damage: object) -> None:
    index = Held(path)
    index.put_file(MEMORY, "a.md", SEEN, file("a", 400))
    index.close()
    assert callable(damage)
    damage(path)
    again = Held(path)
    assert found(again) == []
    assert again.list_seen(MEMORY) == {}
    assert again.anew
    wrong = WRONG.get(damage, "was damaged")
    assert again.warned == [f"index.sqlite {wrong} and is made anew; nothing is lost by that"]
    assert again.locked == 1
    again.put_file(MEMORY, "a.md", SEEN, file("a", 3))
    assert len(found(again)) == 3
    assert again.locked == 1
    again.close()
    if damage is a_folder:
        (aside,) = path.parent.glob("index.sqlite.folder-*")
        assert (aside / "letter.txt").read_text() == "somebody's"
    assert not (path.parent / "elsewhere").exists()
    assert whole(path)


def test_damage_in_the_middle_is_noticed_when_it_is_met(path: Path) -> None:
    index = Held(path)
    index.put_file(MEMORY, "a.md", SEEN, file("a", 400))
    index.close()
    pages = path.stat().st_size // 4096
    with open(path, "r+b") as raw:
        for page in range(2, pages):
            raw.seek(page * 4096)
            raw.write(os.urandom(4096))
    again = Held(path)
    assert found(again) == []
    assert len(again.warned) == 1
    again.close()


@pytest.mark.parametrize("where", ["the text of a document", "what is kept", "the names of its tables"])
def test_letters_that_became_none_are_damage_too(path: Path, where: str) -> None:
    index = Held(path)
    index.keep("note", "quetzalcoatl " * 3)
    index.put_file(MEMORY, "a.md", SEEN, file("quetzalcoatl", 3))
    index.close()
    data = path.read_bytes()
    names = where == "the names of its tables"
    for word in (b"kept", b"TABLE", b"TEXT") if names else (b"quetzalcoatl ", b"quetzalcoatl"):
        data = data.replace(word, b"\xff\xce" * (len(word) // 2) + b"x" * (len(word) % 2))
    path.write_bytes(data)
    again = Held(path)
    assert (again.read_kept("note") if where == "what is kept" else found(again)) in ("", [])
    assert len(again.warned) == 1
    assert again.anew
    again.close()


def test_a_log_left_beside_a_damaged_file_is_not_played_into_the_new_one(path: Path) -> None:
    index = Held(path)
    index.put_file(MEMORY, "a.md", SEEN, file("a", 50))
    index.close()
    index.put_file(MEMORY, "b.md", SEEN, file("b", 1))
    log = Path(f"{path}-wal").read_bytes()
    index.close()
    garbage(path)
    Path(f"{path}-wal").write_bytes(log)
    again = Held(path)
    assert found(again) == []
    assert again.counts() == {}
    assert len(again.warned) == 1
    again.close()
    assert whole(path)


def test_a_file_that_another_process_has_made_anew_is_left_to_it(path: Path) -> None:
    late, early = Held(path), Held(path)
    late.put_file(MEMORY, "a.md", SEEN, file("a", 1))
    early.counts()
    early._make_anew("was damaged")
    early.put_file(MEMORY, "b.md", SEEN, file("b", 1))
    late._make_anew("was damaged")
    assert found(late) == ["b-0"]
    assert late.warned == []
    assert len(early.warned) == 1
    late.close()
    early.close()


def test_damage_met_among_several_puts_is_told_because_the_earlier_ones_are_lost(path: Path) -> None:
    index = Held(path)
    index.put_file(MEMORY, "a.md", SEEN, file("a", 1))
    with pytest.raises(MirrorUnavailable, match="made anew"), index.together():
        index.do(lambda db: db.execute("DROP TABLE totals"))
        index.put_file(MEMORY, "b.md", SEEN, file("b", 1))
    index.put_file(MEMORY, "b.md", SEEN, file("b", 1))
    assert found(index) == ["b-0"]
    index.close()


def test_a_full_disk_is_told_and_leaves_what_was_there(path: Path) -> None:
    index = Held(path)
    index.put_file(MEMORY, "a.md", SEEN, file("a", 3))
    index.close()
    with full(path.stat().st_size + 8192), pytest.raises(IoFailed):
        index.rebuild(file("b", 2000))
    index.close()
    assert len(found(index)) == 3
    assert not index.warned
    index.close()
    assert whole(path)


# -- several processes ---------------------------------------------------------------------------------------


def test_two_processes_that_write_at_once_lose_nothing(index: Held, path: Path) -> None:
    index.counts()
    children = [start(path, name, "40") for name in ("a", "b")]
    for child in children:
        _, told = child.communicate(timeout=60)
        assert child.returncode == 0, told
    assert index.count(MEMORY) == 2 * 40 * 3
    assert len(index.list_seen(MEMORY)) == 80
    assert len(found(index, limit=300)) == 240
    index.close()
    assert whole(path)


def test_readers_see_no_error_and_no_gap_while_the_index_is_rebuilt(index: Held, path: Path) -> None:
    index.rebuild_files([(MEMORY, "old.md", SEEN, file("old", 300))])
    child = start(path, "rebuild", "0")
    other, seen = Held(path), 0
    end = time.monotonic() + 0.7
    try:
        while time.monotonic() < end:
            assert len(found(index, limit=20)) == 20
            assert other.count(MEMORY) == 300
            assert len(other.list_seen(MEMORY)) == 1
            seen += 1
    finally:
        child.kill()
    assert "Traceback" not in child.communicate()[1]
    assert seen > 5
    other.close()


def test_a_writer_killed_anywhere_leaves_a_whole_index(index: Held, path: Path) -> None:
    index.put_file(MEMORY, "first.md", SEEN, file("first", 5))
    for number, kind in enumerate(("a", "rebuild", "b", "rebuild", "rebuild")):
        child = start(path, kind, "5000")
        time.sleep(random.Random(number).uniform(0.01, 0.15))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert whole(path)
        count = index.count(MEMORY)
        assert count
        assert len(index.fingerprints(MEMORY)) == count
    assert not index.warned
    assert index.rebuild(file("end", 2)) == 2
    assert found(index) == ["end-1", "end-0"]


# -- any text ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    index = Held(tmp_path_factory.mktemp("small") / "index.sqlite")
    index.put_file(MEMORY, "a.md", SEEN, [document("a", "Kari has the key to the cellar, and 予算 is short")])
    yield index
    index.close()


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_at_all_is_an_error(small: Held, text: str) -> None:
    assert found(small, f"{text} cellar") == ["a"]
    found(small, text)


def test_no_letter_of_any_script_is_an_error(small: Held) -> None:
    letters = [chr(code) for code in range(0x80, 0x20000) if unicodedata.category(chr(code))[0] in "LMNSC"]
    letters = letters[:: taken(5, 1)]
    for at in range(0, len(letters), 90):
        some = letters[at : at + 90]
        found(small, " ".join(f"x{letter}y" for letter in some))
    assert not small.warned


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_can_be_put_changed_and_taken_away(small: Held, text: str) -> None:
    small.put_file("slog", "s", SEEN, [document("s", text, "slog", title=text[:9], path="s")])
    small.put_file("slog", "s", SEEN, [document("s", f"{text} and more", "slog", title=text[:9], path="s")])
    small.drop_file("slog", "s")
    assert words(small) == {"and", "cellar", "ha", "is", "kari", "kei", "short", "the", "to", "予算", "算"}
    assert "slog" not in small.counts()
    assert not small.warned
