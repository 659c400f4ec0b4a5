"""The index that knows meanings keeps to what every search index keeps to, and finds what shares no word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from adjutant.domain.recall import ranking
from adjutant.index_ports import Document, Embedder, Query
from adjutant.store import index_lookup
from tests.meanings import Synonyms, minilm
from tests.ports.search_suite import MEMORY, TALK, SearchIndex, SearchIndexTests, document, messages
from tests.store.putting import PutIndex


class Reading(PutIndex):
    """Reads at once what is put into it."""

    def upsert(self, documents: Iterable[Document]) -> int:
        return self._all_read(super().upsert(documents))

    def rebuild(self, documents: Iterable[Document]) -> int:
        return self._all_read(super().rebuild(documents))

    def _all_read(self, count: int) -> int:
        assert self.embedder is not None
        unread = self.do(lambda db: index_lookup.list_unread(db, 10_000))
        vectors = self.embedder.embed([each.text for each in unread])
        self.do(lambda db: index_lookup.put_vectors(db, unread, vectors), writes=True)
        assert not self.left()
        return count

    def left(self) -> int:
        return self.do(index_lookup.count_unread)


class Meanings(SearchIndexTests):
    @pytest.fixture
    def embedder(self) -> Embedder:
        raise AssertionError("each says which model it has")

    @pytest.fixture
    def index(self, tmp_path: Path, embedder: Embedder) -> Iterator[SearchIndex]:
        warned: list[str] = []
        index = Reading(str(tmp_path / "index.sqlite"), warned.append, nullcontext, ranking.search, embedder)
        yield index
        index.close()
        assert not warned

    def test_what_shares_no_word_with_the_question_is_found_by_its_meaning(self, index: SearchIndex) -> None:
        index.upsert([document("car", "My vehicle"), document("other", "Lunch is at noon")])
        (hit,) = self.ask(index, "the car")
        assert hit.document.id == "car"
        assert hit.why["terms"] == []
        assert [rule for rule in hit.why["rules"] if rule.startswith("means much the same")]

    def test_of_two_that_share_as_many_words_the_one_that_means_the_same_comes_first(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("a", "the new vehicle", created_at="2025-01-01"),
                document("b", "the new curtain", created_at="2025-01-01"),
            ]
        )
        assert self.ids(index, "new car")[0] == "a"
        index.upsert(
            [
                document("a", "the new curtain", created_at="2025-01-01"),
                document("b", "the new vehicle", created_at="2025-01-01"),
            ]
        )
        assert self.ids(index, "new car")[0] == "b"

    def test_meaning_is_narrowed_as_words_are(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("new", "My vehicle", concepts=("adjutant:build",), created_at="2026-11-19T12:00:00+00:00"),
                document("old", "My vehicle", created_at="2026-01-01T12:00:00+00:00"),
                document("gone", "My vehicle", superseded=True),
                *messages("s", ("Ann", "My vehicle")),
            ]
        )
        assert sorted(self.ids(index, "the car", MEMORY)) == ["new", "old"]
        assert self.ids(index, "the car", TALK) == ["s/m0"]
        assert self.ids(index, "the car", MEMORY, since="2026-06-01") == ["new"]
        assert self.ids(index, "the car", concepts=("adjutant:build",)) == ["new"]
        assert len(self.ids(index, "the car", limit=1)) == 1

    def test_a_stranger_found_by_meaning_stays_below_the_operators_note(self, index: SearchIndex) -> None:
        index.upsert([document("planted", "vehicle vehicle", trust="untrusted"), document("own", "My old vehicle")])
        assert self.ids(index, "car car") == ["own", "planted"]


class TestSynonyms(Meanings):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return Synonyms()


class TestMiniLM(Meanings):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return minilm()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Reading]]:
    made: list[Reading] = []

    def one(name: str = "synonyms") -> Reading:
        made.append(Reading(str(tmp_path / "index.sqlite"), print, nullcontext, ranking.search, Synonyms(name)))
        return made[-1]

    yield one
    for each in made:
        each.close()


def test_a_rebuild_keeps_the_vectors_of_what_is_as_it_was(opened: Callable[..., Reading]) -> None:
    index = opened()
    kept, changed = document("a", "My vehicle"), document("b", "My house")
    index.upsert([kept, changed])
    PutIndex.rebuild(index, [kept, changed._replace(text="My boat", source_sha="another")])
    assert [each.text for each in index.do(lambda db: index_lookup.list_unread(db, 10))] == ["My boat"]
    assert index.left() == 1


def test_a_document_that_changed_is_not_found_by_what_it_meant(opened: Callable[..., Reading]) -> None:
    index = opened()
    index.upsert([document("a", "My vehicle")])
    PutIndex.upsert(index, [document("a", "My boat")])
    assert index.search(Query("the car", (MEMORY,))) == []


def test_vectors_of_another_model_are_of_no_use(opened: Callable[..., Reading]) -> None:
    opened().upsert([document("a", "My vehicle")])
    assert opened().left() == 0
    assert opened("another").left() == 1


def test_vectors_of_documents_that_are_gone_go_too(opened: Callable[..., Reading]) -> None:
    index = opened()
    index.upsert([document("a", "My vehicle"), document("b", "My house")])
    index.delete(MEMORY, ["a"])
    index.do(index_lookup.drop_gone, writes=True)
    index.upsert([])
    assert index.do(lambda db: db.execute("SELECT id FROM vectors").fetchall()) == [("b",)]
