"""What every search index keeps to, whatever carries it: documents in, answers out, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import pytest

from adjutant.index_ports import Document, Hit, Query
from adjutant.store.index_tables import superseding

NOW = "2026-11-20T09:00:00+00:00"
MEMORY, SLOG, TALK = "agent_memory", "slog", "conversations"
ALL = (MEMORY, SLOG, TALK)
ODD_TEXTS = (
    "",
    " ",
    '""',
    '"',
    "what's",
    "notify-budget",
    "AND OR NOT *",
    "*",
    "a AND",
    "NEAR(a b)",
    "title:",
    "{x} : y",
    "^a",
    "(",
    "budget)",
    "-budget",
    "+budget",
    "budget*",
    "🎉",
    "🎉 budget 🎉",
    "\0",
    "bud\0get",
    "\ud800",
    "%_\\",
    "?",
    "the",
    "hva er budsjettet på?",
    "予算",
    "予",
    "ラーメンの店",
    "бюджет",
    "ميزانية",
    "बजट क्या है",
    "ﬁnance",
    "e\u0301te\u0301",
    "x" * 10_000,
    "budget " * 1_500,
    "'; DROP TABLE documents; --",
    "2026-11-20",
    "9999-99-99",
    "a\tb\nc",
    "1.5%",
    "C++",
)


def document(id: str, text: str, collection: str = MEMORY, **more: Any) -> Document:
    path = f"memory/notes/fact/{id}.md"
    given = {"title": "", "path": path, "created_at": NOW, "source_sha": f"sha of {text}", **more}
    return Document(id=id, collection=collection, text=text, **given)


def messages(session: str, *said: tuple[str, str], day: str = "2026-11-19") -> list[Document]:
    """A conversation as its source makes it: speakers and texts, a minute apart, each with two neighbours a side."""
    texts = [text for _, text in said]
    path = f"state/conversations/{session}.jsonl"
    return [
        document(
            f"{session}/m{at}",
            text,
            TALK,
            title=name,
            path=path,
            anchor=f"m{at}",
            group=path,
            created_at=f"{day}T10:{at:02d}:00+00:00",
            names=f"{name} Thursday 19 November 2026",
            context="\n".join(texts[max(at - 2, 0) : at] + texts[at + 1 : at + 3]),
        )
        for at, (name, text) in enumerate(said)
    ]


class SearchIndex(Protocol):
    """What answers questions of the documents that were put into it."""

    @property
    def name(self) -> str: ...
    def upsert(self, documents: Iterable[Document]) -> int: ...
    def delete(self, collection: str, ids: Iterable[str]) -> int: ...
    def fingerprints(self, collection: str) -> dict[str, str]: ...
    def rebuild(self, documents: Iterable[Document]) -> int: ...
    def search(self, query: Query) -> list[Hit]: ...


class SearchIndexTests:
    """The contract of a search index. A subclass provides the fixture `index`: an empty one."""

    @pytest.fixture
    def index(self) -> SearchIndex:
        raise AssertionError("each index says how it is made")

    def ask(self, index: SearchIndex, text: str, *collections: str, **more: Any) -> list[Hit]:
        return index.search(Query(text, collections or ALL, now=NOW, **more))

    def ids(self, index: SearchIndex, text: str, *collections: str, **more: Any) -> list[str]:
        return [hit.document.id for hit in self.ask(index, text, *collections, **more)]

    # -- what is there ---------------------------------------------------------------------------------------

    def test_what_was_put_is_found_as_it_was_put(self, index: SearchIndex) -> None:
        put = document(
            "a",
            "The permit needs the council's signature",
            concepts=("adjutant:platform",),
            tags=("permit",),
            title="Permit",
            anchor="x",
            updated_at=NOW,
            names="Ola",
            trust="agent",
        )
        assert index.upsert([put, document("b", "Lunch is at noon")]) == 2
        hit, *others = self.ask(index, "who signs the permit?")
        assert hit.document == put
        assert hit.score > 0
        assert not others

    def test_a_document_is_replaced_by_its_collection_and_id(self, index: SearchIndex) -> None:
        index.upsert([document("a", "Anna has the key"), document("a", "Berit has the ladder", SLOG)])
        index.upsert([document("a", "Carl has the boat")])
        assert self.ids(index, "key") == []
        assert self.ids(index, "boat") == ["a"]
        assert self.ids(index, "ladder") == ["a"]
        assert index.fingerprints(MEMORY) == {"a": "sha of Carl has the boat"}

    def test_what_is_deleted_is_not_found_and_counted(self, index: SearchIndex) -> None:
        index.upsert([document("a", "Anna has the key"), document("b", "Berit has the key")])
        assert index.delete(MEMORY, ["a", "never-there"]) == 1
        assert self.ids(index, "key") == ["b"]
        assert index.delete(SLOG, ["b"]) == 0
        assert list(index.fingerprints(MEMORY)) == ["b"]

    def test_nothing_is_found_in_an_empty_index(self, index: SearchIndex) -> None:
        assert self.ids(index, "anything") == []
        assert index.fingerprints(MEMORY) == {}
        assert index.upsert([]) == 0

    def test_a_rebuild_leaves_what_it_was_given_and_nothing_else(self, index: SearchIndex) -> None:
        index.upsert([document("old", "Anna has the key"), document("other", "Berit has the key", SLOG)])
        assert index.rebuild([document("new", "Carl has the key")]) == 1
        assert self.ids(index, "key") == ["new"]
        assert index.fingerprints(SLOG) == {}

    def test_searches_during_a_rebuild_see_the_old(self, index: SearchIndex) -> None:
        index.upsert([document("old", "Anna has the key")])
        seen = []

        def documents() -> Iterator[Document]:
            for number in range(40):
                seen.append(self.ids(index, "key"))
                yield document(f"new{number}", "Carl has the key")

        assert index.rebuild(documents()) == 40
        assert seen == [["old"]] * 40
        assert len(self.ids(index, "key", limit=50)) == 40

    # -- what is asked ---------------------------------------------------------------------------------------

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text)[:20])
    def test_no_text_is_an_error(self, index: SearchIndex, text: str) -> None:
        said = messages("s", ("Ann", "The budget?"), ("Bob", "It is 400."))
        index.upsert([document("a", "The budget is 400"), *said])
        found = self.ids(index, text)
        assert "a" in found or "budget" not in text or "bud\0get" in text or "notify" in text

    def test_a_question_with_one_word_that_is_there_finds_it(self, index: SearchIndex) -> None:
        index.upsert([document("a", "The boiler was repaired by Halvorsen")])
        for text in ("What did we ever decide about fixing boilers at all?", "boilers", "the REPAIR", "Halvorsen's"):
            assert self.ids(index, text) == ["a"], text

    def test_a_question_of_function_words_alone_is_answered_by_them(self, index: SearchIndex) -> None:
        index.upsert([document("a", "To be or not to be"), document("b", "Lunch")])
        assert self.ids(index, "to be or not to be") == ["a"]

    def test_more_of_the_words_rank_above_fewer(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("one", "The ladder is in the shed behind the house"),
                document("none", "Lunch is at noon"),
                document("two", "The red ladder belongs to the neighbour"),
            ]
        )
        assert self.ids(index, "whose is the red ladder") == ["two", "one"]

    def test_text_without_blanks_is_found_by_a_part_of_it(self, index: SearchIndex) -> None:
        index.upsert([document("tokyo", "来週は東京タワーに行きます"), document("osaka", "大阪城は閉まっています")])
        assert self.ids(index, "東京")[:1] == ["tokyo"]
        assert self.ids(index, "大阪城はいつ?")[:1] == ["osaka"]

    def test_letters_beyond_ascii_are_found(self, index: SearchIndex) -> None:
        index.upsert([document("a", "Nøkkelen henger på kjøkkenet"), document("b", "Der Schlüssel liegt im Büro")])
        assert self.ids(index, "hvor er nøkkelen") == ["a"]
        assert self.ids(index, "wo liegt der Schlüssel?") == ["b"]

    # -- what it is narrowed to ------------------------------------------------------------------------------

    def test_only_the_collections_asked_for_answer(self, index: SearchIndex) -> None:
        index.upsert([document("a", "the key"), document("b", "the key", SLOG)])
        assert self.ids(index, "key", SLOG) == ["b"]
        assert self.ids(index, "key", "kb") == []
        assert sorted(self.ids(index, "key", SLOG, MEMORY)) == ["a", "b"]

    def test_only_the_concepts_asked_for_answer(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("a", "the key", concepts=("adjutant:platform/k8s",)),
                document("b", "the key", concepts=("adjutant:build", "adjutant:meta")),
                document("c", "the key"),
            ]
        )
        assert self.ids(index, "key", concepts=("adjutant:platform", "adjutant:platform/k8s")) == ["a"]
        assert self.ids(index, "key", concepts=("adjutant:meta",)) == ["b"]
        assert self.ids(index, "key", concepts=("adjutant:comms",)) == []

    def test_only_what_is_new_enough_answers(self, index: SearchIndex) -> None:
        index.upsert(
            document(f"d{day}", "the key", created_at=f"2026-11-{day}T12:00:00+00:00") for day in range(10, 20)
        )
        assert sorted(self.ids(index, "key", since="2026-11-17", limit=20)) == ["d17", "d18", "d19"]
        assert sorted(self.ids(index, "key", since="2026-11-17T13:00:00+01:00", limit=20)) == ["d17", "d18", "d19"]

    def test_only_what_carries_the_tag_answers(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("a", "the key", tags=("kb:home",)),
                document("b", "the key", tags=("kb:home-office", "home")),
                document("c", "kb:home has the key"),
            ]
        )
        assert self.ids(index, "key", tag="kb:home") == ["a"]
        assert self.ids(index, "key", tag="kb:none") == []

    def test_a_file_that_is_left_out_gives_no_hit_however_much_it_holds(self, index: SearchIndex) -> None:
        own = messages("own", *(("Ann", f"where is the deploy key? {number}") for number in range(60)))
        index.upsert([*own, *messages("other", ("Bob", "Berit has the key"))])
        assert self.ids(index, "where is the deploy key?", but=own[0].path) == ["other/m0"]
        assert "own/m59" in self.ids(index, "where is the deploy key?", limit=30)

    def test_summaries_above_the_level_that_is_wanted_are_left_out(self, index: SearchIndex) -> None:
        index.upsert([document("day", "the key", level=1), document("said", "the key, they said")])
        assert self.ids(index, "key", level=0) == ["said"]
        assert len(self.ids(index, "key")) == 2

    def test_no_more_than_the_limit(self, index: SearchIndex) -> None:
        index.upsert([document(f"d{number}", f"the key number {number}") for number in range(30)])
        assert [len(self.ids(index, "key", limit=limit)) for limit in (1, 8, 30)] == [1, 8, 30]

    def test_superseded_documents_are_hidden_and_kept(self, index: SearchIndex) -> None:
        index.upsert(
            [document("old", "the key is with Anna", superseded=True), document("new", "the key is with Berit")]
        )
        assert self.ids(index, "key Anna") == ["new"]
        assert sorted(index.fingerprints(MEMORY)) == ["new", "old"]

    def test_a_note_that_says_what_it_supersedes_hides_it(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("old", "the key is with Anna"),
                document("new", "the key moved on to Berit", tags=("fact", superseding("old"))),
            ]
        )
        assert self.ids(index, "key Anna") == ["new"]
        assert sorted(index.fingerprints(MEMORY)) == ["new", "old"]

    # -- in what order ---------------------------------------------------------------------------------------

    def test_a_stranger_never_ranks_above_the_operator_who_says_as_much(self, index: SearchIndex) -> None:
        index.upsert([document("own", "We agreed long ago, after a good deal of talk: the deploy key is with Anna")])
        index.upsert(
            [
                document(f"x{number}", "deploy key deploy key", title="deploy key", trust="untrusted")
                for number in range(300)
            ]
        )
        assert self.ids(index, "deploy key")[0] == "own"

    def test_the_operators_own_files_come_before_what_was_said_of_them(self, index: SearchIndex) -> None:
        said = messages("s", ("operator", "the rent of the shop is 900"), day="2026-11-20")
        page = document("page", "Rent of the shop: 900", "vault_index", trust="untrusted", path="v/a.md")
        entry = document("j", "rent of the shop 900", "journal", path="journal/2026-11-20.md", group="g")
        index.upsert([*said, document("base", "shop; rent: 900", "kb", trust="untrusted", path="kb/b.md"), page, entry])
        found = self.ids(index, "rent of the shop", TALK, "kb", "vault_index", "journal")
        assert set(found[:2]) == {"page", "base"}
        assert len(found) == 4

    def test_a_planted_note_that_holds_a_word_more_stays_below_the_operators(self, index: SearchIndex) -> None:
        own = document("own", "We deploy on Tuesdays", collection="agent_memory")
        planted = document(
            "planted",
            "deploys happen on fridays, fridays, fridays",
            title="deploys happen fridays",
            collection="agent_memory",
            trust="untrusted",
        )
        index.upsert([planted, own])
        assert self.ids(index, "deploys happen fridays") == ["own", "planted"]

    def test_the_newer_of_two_that_tell_of_one_fact_comes_first(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("new", "These days the deploys happen on Tuesday mornings", created_at="2025-06-01"),
                document("old", "Deploys happen on Friday", created_at="2025-01-01"),
            ]
        )
        assert self.ids(index, "when do deploys happen") == ["new", "old"]

    def test_of_what_was_said_of_a_matter_among_others_the_newest_comes_first(self, index: SearchIndex) -> None:
        index.upsert(
            messages("spring", ("Ina", "The rent of the studio is 1,200 kroner"), ("Bot", "Noted"), day="2026-03-02")
        )
        index.upsert(
            messages(
                "autumn",
                ("Ina", "Ran for an hour. The studio's rent is 1,350 kroner now. Slept badly."),
                day="2026-10-02",
            )
        )
        index.upsert(
            messages(
                "summer",
                ("Ina", "Rent of the studio: up from 1,200 to 1,290 kroner. Soup for lunch."),
                day="2026-07-02",
            )
        )
        found = [id for id in self.ids(index, "what is the rent of the studio") if id.endswith("m0")]
        assert found == ["autumn/m0", "summer/m0", "spring/m0"]

    def test_a_line_that_names_the_old_figure_beside_a_new_one_comes_first(self, index: SearchIndex) -> None:
        index.upsert(messages("spring", ("Ina", "The backups of harbour are kept for 30 days"), day="2026-03-02"))
        index.upsert(
            messages(
                "autumn",
                ("Ina", "Port authority wants more of harbour: backups stay 90 days, not 30"),
                day="2026-10-02",
            )
        )
        assert self.ids(index, "how long are the backups of harbour kept")[0] == "autumn/m0"

    def test_of_people_in_charge_the_newest_comes_first(self, index: SearchIndex) -> None:
        index.upsert(messages("spring", ("Ina", "Farah leads the harbour pipeline"), day="2026-03-02"))
        index.upsert(
            messages(
                "autumn",
                ("Ina", "Soup for lunch.\nTobias leads the harbour pipeline.\nRain all day."),
                day="2026-10-02",
            )
        )
        assert self.ids(index, "who leads the harbour pipeline")[0] == "autumn/m0"

    def test_what_only_mentions_a_matter_does_not_come_before_what_tells_it(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("told", "The rent of the studio is 1,200 kroner", SLOG, created_at="2026-03-02"),
                document("paid", "The rent of the studio is a nuisance", SLOG, created_at="2026-10-02"),
            ]
        )
        assert self.ids(index, "rent studio")[0] == "told"

    def test_a_strangers_newer_figure_stays_below_the_operators(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("own", "The rent of the studio is 1,200 kroner", SLOG, created_at="2026-03-02"),
                document(
                    "theirs", "The rent of the studio is 9,000 kroner", SLOG, created_at="2026-10-02", trust="untrusted"
                ),
            ]
        )
        assert self.ids(index, "rent of the studio") == ["own", "theirs"]

    def test_a_source_comes_before_its_summary(self, index: SearchIndex) -> None:
        index.upsert(
            [
                document("day", "Boiler repaired, paid 400", level=1, path="memory/daily/2026-11-19.md"),
                document("month", "Boiler repaired", level=3, path="memory/monthly/2026-11.md"),
                document("note", "Halvorsen repaired the boiler on a cold morning, and was paid 400 for it"),
            ]
        )
        assert self.ids(index, "boiler repaired")[0] == "note"

    def test_a_source_comes_before_the_line_that_cites_it_however_much_else_it_tells(self, index: SearchIndex) -> None:
        said = (
            "Soup for lunch. Rain all day, and the dog would not go out. Mateusz showed the map view, half done. "
            "Boiler repaired at last. Slept badly, read half a chapter, and the train was late again."
        )
        day = document(
            "2026-11-19/key-events/1",
            "Boiler repaired. [slog 20261119T160000-0001]",
            level=1,
            title="Boiler repaired",
            path="memory/daily/2026-11-19.md",
        )
        index.upsert([day, document("20261119T160000-0001", said, SLOG)])
        assert self.ids(index, "boiler repaired") == ["20261119T160000-0001", "2026-11-19/key-events/1"]

    def test_of_a_page_the_part_that_answers_is_the_one_hit(self, index: SearchIndex) -> None:
        parts = [
            document(
                f"deploy#{number}",
                f"deploy notes, part {number}, keys",
                "kb",
                title=f"Deploy › Part {number}",
                path="deploy.md",
            )
            for number in range(20)
        ]
        index.upsert(
            [
                *parts,
                document("deploy#x", "deploy keys rotate in May", "kb", title="Deploy › Keys", path="deploy.md"),
                document("keys", "all that is known of spare keys", "kb", title="Spare", path="keys.md"),
            ]
        )
        assert self.ids(index, "when do deploy keys rotate", "kb") == ["deploy#x", "keys"]

    def test_a_page_that_is_called_what_is_asked_for_comes_before_those_that_mention_it(
        self,
        index: SearchIndex,
    ) -> None:
        index.upsert(
            [
                document(
                    f"p{number}",
                    "each release has its budget, and the budget its review",
                    "kb",
                    title=f"Meeting {number} of the board",
                    path=f"p{number}.md",
                )
                for number in range(40)
            ]
        )
        index.upsert(
            [
                document(
                    "budget",
                    "what we may spend, a year at a time, and who says so when it is too little",
                    "kb",
                    title="Budget",
                    path="budget.md",
                    created_at="2020-01-01",
                )
            ]
        )
        assert self.ids(index, "budget", "kb")[0] == "budget"

    def test_a_part_of_the_page_about_it_comes_before_parts_of_others_with_a_heading_about_it(
        self,
        index: SearchIndex,
    ) -> None:
        index.upsert(
            [
                document(
                    f"{name}#w",
                    f"whether {name} is to run in those too, which is off at first",
                    "vault_index",
                    title=f"{name} › workspaces",
                    path=f"{name}.md",
                )
                for name in ("link", "view", "pack")
            ]
        )
        index.upsert(
            [
                document(
                    "w#f",
                    "a workspace is a package inside another one, so that both are kept together",
                    "vault_index",
                    title="Workspaces › What they are for",
                    path="workspaces.md",
                )
            ]
        )
        assert self.ids(index, "workspaces", "vault_index")[0] == "w#f"

    def test_who_is_named_in_the_question_comes_first(self, index: SearchIndex) -> None:
        index.upsert(
            [
                *messages("s", ("Ann", "I have painted the boat green at last, a day before the rain came")),
                *messages("t", ("Bob", "Ann, I painted it")),
                *messages("u", ("Cid", "Well done")),
            ]
        )
        assert self.ids(index, "What has Ann painted?")[:2] == ["s/m0", "t/m0"]
        assert self.ids(index, "What has Bob painted?")[0] == "t/m0"

    def test_an_answer_is_found_by_the_question_before_it_and_ranks_below_what_says_it_all(
        self,
        index: SearchIndex,
    ) -> None:
        index.upsert(
            messages(
                "s",
                ("Ann", "Shall we talk about lunch"),
                ("Ann", "And where did you buy the kayak?"),
                ("Bob", "At the harbour, from Lise"),
                ("Ann", "Fine"),
                ("Bob", "Yes"),
                ("Ann", "Bye"),
            )
        )
        index.upsert(messages("t", ("Ann", "Good morning"), ("Bob", "I bought the kayak from Lise, at the harbour")))
        assert self.ids(index, "Where did Bob buy the kayak?")[:2] == ["t/m1", "s/m2"]

    def test_the_day_in_a_question_is_understood(self, index: SearchIndex) -> None:
        index.upsert(messages("s", ("Ann", "We met at noon")))
        index.upsert([document("other", "We met at noon", TALK, names="Ann Friday 20 March 2026", group="t")])
        assert self.ids(index, "who met on 19 November?")[0] == "s/m0"
        assert self.ids(index, "2026-11-19") == ["s/m0"]

    def test_a_hit_says_why(self, index: SearchIndex) -> None:
        index.upsert([document("a", "The boiler is in the cellar", title="Boiler")])
        why = self.ask(index, "Where is the boiler?")[0].why
        assert why["terms"] == ["boiler"]
        assert set(why["fields"]) >= {"title", "text"}
        assert {"concept", "prior", "rules"} <= why.keys()

    def test_a_hit_says_how_rare_its_words_are(self, index: SearchIndex) -> None:
        index.upsert(document(f"n{number}", "The boiler hums") for number in range(40))
        index.upsert(document(f"o{number}", "The garden is green") for number in range(39))
        index.upsert([document("a", "The boiler and the cellar")])
        why = next(hit.why for hit in self.ask(index, "boiler cellar") if hit.document.id == "a")
        rare = why["rarity"]
        assert rare["cellar"] == 1.0
        assert rare["boiler"] < 0.3
