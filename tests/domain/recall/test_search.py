"""The one query: what changed is found at once, within the bounds that were named, and no text of it is an error."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.domain.recall import indexing, places, search, showing, taxonomy
from adjutant.domain.recall.search import SearchResult
from adjutant.errors import SearchInvalid
from adjutant.index_ports import Document, Hit
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import NOW, make_app

MORNING, MINUTE_LATER = NOW, "2026-11-20T09:01:01+00:00"


class Instance:
    """An instance that is searched at a moment one names."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        make_app(root, verb="search", retrieval__vault=["vault"])
        (root / "vault").mkdir()

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def found(self, text: str, names: str | None = None, *, now: str = MORNING, **more: Any) -> SearchResult:
        app = make_app(self.root, verb="search", now=now)
        result = search.search(app, text, collections=places.find_collections(names), **more)
        self.said = app.said
        return result

    def ids(self, text: str, names: str | None = None, **more: Any) -> list[str]:
        return [hit.document.id for hit in self.found(text, names, **more).hits]


@pytest.fixture
def mine(tmp_path: Path) -> Instance:
    return Instance(tmp_path / "mine")


def line(id: str, text: str, **more: str) -> str:
    return json.dumps({"id": id, "ts": NOW, "role": "operator", "name": "Ola", "text": text, **more}) + "\n"


def skill(name: str, description: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


# -- the obvious file ----------------------------------------------------------------------------------------


def test_a_skill_is_found_by_its_name_and_description_before_those_that_only_mention_it(mine: Instance) -> None:
    mine.write("skills/pdf/SKILL.md", skill("pdf", "Fill, split and merge PDF files", "Call qpdf. " * 400))
    for name in ("ads", "audit", "board", "cards"):
        mine.write(
            f"skills/{name}/SKILL.md",
            skill(
                name, f"All about {name}", "Make a report; merge two PDF files of it into one, then mail the PDF. " * 20
            ),
        )
    assert mine.ids("how do I merge two pdf files into one")[0] == "pdf"


def test_what_stands_below_a_description_is_found_shown_and_told(mine: Instance) -> None:
    mine.write("skills/pdf/SKILL.md", skill("pdf", "Work with documents", "First words.\n\n" * 20 + "Linearize it."))
    (hit,) = mine.found("linearize").hits
    assert hit.why["fields"] == ["context"]
    assert (hit.why["terms"], hit.why["near"]) == ([], ["linearize"])
    assert search.show(hit)["text"].startswith("Work with documents\n\nFirst")
    assert "Linearize it." in "\n".join(showing.lines([hit], "linearize"))


def test_what_a_page_s_frontmatter_says_it_is_about_is_found(mine: Instance) -> None:
    about = "description: Clean install of a project"
    mine.write("vault/ci.md", f"---\ntitle: npm-ci\n{about}\n---\n\n## Synopsis\n\nnpm ci\n")
    (hit,) = mine.found("a clean install").hits
    assert (hit.document.id, hit.document.title, hit.document.text) == (
        "vault/ci.md",
        "npm-ci",
        "Clean install of a project",
    )


def test_a_note_is_hidden_when_only_its_successor_says_so(mine: Instance) -> None:
    def note(id: str, text: str, more: str = "") -> None:
        mine.write(
            f"memory/notes/fact/{id}.md",
            f"---\nid: {id}\ntype: fact\ntitle: {id}\ncreated: 2026-11-19\nsource: test\n{more}---\n\n{text}\n",
        )

    note("2026-11-19-rent", "The rent is 1,400 euros.", "trust: operator\n")
    assert mine.ids("rent euros") == ["2026-11-19-rent"]
    note("2026-11-19-strange", "Nobody pays rent.", "trust: untrusted\nsupersedes: 2026-11-19-rent\n")
    assert mine.ids("rent euros") == ["2026-11-19-rent", "2026-11-19-strange"]
    note("2026-11-20-housing", "Housing costs 1,500 a month.", "trust: operator\nsupersedes: 2026-11-19-rent\n")
    assert mine.ids("rent euros") == ["2026-11-19-strange"]


# -- freshness -----------------------------------------------------------------------------------------------


def test_what_was_just_written_is_found_at_once(mine: Instance) -> None:
    mine.write("state/conversations/cli.jsonl", line("m1", "the boat is called Terna"))
    assert mine.ids("boat") == ["cli/m1"]
    mine.write("state/slog.jsonl", line("s1", "painted the boat"))
    mine.write("journal/2026-11-20.md", "## 09:00 — Boat\n\n- in the water\n")
    mine.write("skills/rowing/SKILL.md", "---\nname: rowing\ndescription: How to row a boat\n---\nPull.\n")
    mine.write("identity/wisdom.md", "# W\n\n---\n\n**Boats cost money**\nA boat is a hole in the water.\n")
    assert set(mine.ids("boat")) == {"cli/m1", "s1", "2026-11-20#09:00", "rowing", "wisdom/boats-cost-money"}
    (mine.root / "state" / "conversations" / "cli.jsonl").unlink()
    assert "cli/m1" not in mine.ids("boat")


def test_the_vault_is_looked_at_again_after_a_minute_or_when_asked_to(mine: Instance) -> None:
    mine.write("vault/a.md", "# A\n\nTerna the boat\n")
    assert mine.ids("boat") == ["vault/a.md#a"]
    mine.write("vault/b.md", "# B\n\nanother boat\n")
    assert mine.ids("boat") == ["vault/a.md#a"]
    assert len(mine.ids("boat", fresh=True)) == 2
    mine.write("vault/c.md", "# C\n\na third boat\n")
    assert len(mine.ids("boat")) == 2
    assert len(mine.ids("boat", now=MINUTE_LATER)) == 3


def test_a_clock_that_went_back_and_another_vault_mean_a_new_look(mine: Instance) -> None:
    mine.write("vault/a.md", "# A\n\nboat\n")
    assert len(mine.ids("boat", now=MINUTE_LATER)) == 1
    mine.write("vault/b.md", "# B\n\nboat\n")
    assert len(mine.ids("boat", now=MORNING)) == 2
    mine.write("wiki/c.md", "# C\n\nboat\n")
    mine.write("adjutant.yaml", "retrieval: {vault: [vault, wiki]}\n")
    assert len(mine.ids("boat", now=MORNING)) == 3


def test_logs_are_searched_when_named_and_taken_in_by_index_alone(mine: Instance) -> None:
    mine.write("state/events.jsonl", json.dumps({"ts": NOW, "name": "turn", "span_id": "s1"}) + "\n")
    assert mine.ids("turn", "events") == []
    assert mine.ids("turn") == []
    app = make_app(mine.root, verb="index")
    mirror = search.Mirror(app)
    with mirror.lock():
        indexing.refresh(mirror.index, mirror.reader, places.TABLE)
    mirror.index.close()
    assert mine.ids("turn", "events") == ["s1"]
    assert mine.ids("turn") == []


def test_while_another_process_holds_the_index_lock_it_searches_what_is_there(mine: Instance) -> None:
    mine.write("state/slog.jsonl", line("s1", "painted the boat"))
    assert mine.found("boat").fresh
    mine.write("state/slog.jsonl", line("s1", "painted the boat") + line("s2", "sold the boat"))
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with Files(Tree(str(mine.root))).lock("index"):
            taken.set()
            done.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert taken.wait(10)
        stale = mine.found("boat")
    finally:
        done.set()
        holder.join()
    assert not stale.fresh
    assert [hit.document.id for hit in stale.hits] == ["s1"]
    assert len(mine.found("boat").hits) == 2


def test_damage_is_told_once_and_the_rest_is_found(mine: Instance) -> None:
    mine.write("state/slog.jsonl", line("s1", "painted the boat") + "{torn\n")
    assert mine.ids("boat") == ["s1"]
    assert mine.said == ["state/slog.jsonl:2: not a record"]
    assert mine.ids("boat") == ["s1"]
    assert mine.said == []


@pytest.mark.parametrize("damage", [b"", b"garbage, no database", None, b"SQLite format 3\0" + b"\xff" * 5000])
def test_an_index_that_is_gone_or_garbage_is_made_anew(mine: Instance, damage: bytes | None) -> None:
    mine.write("state/slog.jsonl", line("s1", "painted the boat"))
    mine.write("vault/a.md", "# A\n\nboat\n")
    assert len(mine.ids("boat")) == 2
    for path in (mine.root / "state").glob("index.sqlite*"):
        path.unlink()
    if damage is not None:
        (mine.root / "state" / "index.sqlite").write_bytes(damage)
    assert len(mine.ids("boat")) == 2
    assert ["made anew" in line for line in mine.said] == [True] * bool(damage)  # what is not there needs no word
    assert len(mine.ids("boat")) == 2
    assert mine.said == []


@pytest.mark.parametrize("hurt", ["cut", "first", "middle", "last"])
def test_an_index_that_is_damaged_somewhere_is_made_anew_before_the_answer(mine: Instance, hurt: str) -> None:
    mine.write("state/slog.jsonl", "".join(line(f"s{n}", f"painted boat {n} {'word ' * 50}") for n in range(200)))
    assert len(mine.ids("boat")) == 8
    path = mine.root / "state" / "index.sqlite"
    data = path.read_bytes()
    third, junk = len(data) // 3 // 4096 * 4096, b"\xa5"
    path.write_bytes(
        {
            "cut": data[: third * 2],
            "first": data[:8192] + junk * third + data[8192 + third :],
            "middle": data[:third] + junk * third + data[third * 2 :],
            "last": data[: third * 2] + junk * (len(data) - third * 2),
        }[hurt]
    )
    assert len(mine.ids("boat")) == 8
    assert len(mine.said) == 1
    assert "made anew" in mine.said[0]


# -- what a query names --------------------------------------------------------------------------------------


def test_only_the_collections_that_are_named_are_searched(mine: Instance) -> None:
    mine.write("state/slog.jsonl", line("s1", "painted the boat"))
    mine.write("vault/a.md", "# A\n\nboat\n")
    assert mine.ids("boat", "slog") == ["s1"]
    assert mine.ids("boat", "vault_index") == ["vault/a.md#a"]
    assert len(mine.ids("boat", "slog, vault")) == 2


def test_a_workload_takes_in_the_narrower_concepts(mine: Instance) -> None:
    narrower = taxonomy.own().narrower("adjutant:platform")[0]
    filed = (("s1", "adjutant:platform"), ("s2", narrower), ("s3", "adjutant:comms"), ("s4", "uncategorised"))
    mine.write("state/slog.jsonl", "".join(line(id, "upgraded the cluster", concept=concept) for id, concept in filed))
    assert set(mine.ids("cluster", workload="platform")) == {"s1", "s2"}
    assert mine.ids("cluster", workload=narrower) == ["s2"]
    assert mine.ids("cluster", workload="adjutant:comms") == ["s3"]


def test_since_is_a_day_in_the_instance_s_own_zone_or_a_moment(mine: Instance) -> None:
    for day, hour in (("2026-11-19", "23:30"), ("2026-11-20", "08:00")):
        mine.write(f"journal/{day}.md", f"## {hour} — Boat\n\n- boat\n")
    assert len(mine.ids("boat", since="2026-11-19")) == 2
    assert mine.ids("boat", since="2026-11-20") == ["2026-11-20#08:00"]
    assert mine.ids("boat", since="2026-11-20T08:30:00+00:00") == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"names": "memory,nonsense"}, r"no collection named `nonsense`; there are memory, skills, vault"),
        ({"names": ""}, "no collection is named; there are memory"),
        ({"workload": "nonsense"}, r"`nonsense` is no concept.*workloads are platform, integration"),
        ({"since": "yesterday"}, "--since yesterday: a day, YYYY-MM-DD"),
        ({"since": "2026-02-30"}, "--since 2026-02-30"),
        ({"limit": 0}, "--limit 0: a whole number from 1 to 100"),
        ({"limit": 1000}, "--limit 1000"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(mine: Instance, more: dict[str, Any], said: str) -> None:
    with pytest.raises(SearchInvalid, match=said) as caught:
        mine.found("boat", more.pop("names", None), **more)
    assert caught.value.exit_code == 2
    assert caught.value.fix


def test_the_limit_is_the_one_given_else_the_one_configured(mine: Instance) -> None:
    mine.write("state/slog.jsonl", "".join(line(f"s{n}", f"boat {n}") for n in range(20)))
    assert len(mine.ids("boat")) == 8
    assert len(mine.ids("boat", limit=3)) == 3
    assert len(mine.ids("boat", limit=100)) == 20
    mine.write("adjutant.yaml", "retrieval: {limit: 5}\n")
    assert len(mine.ids("boat")) == 5


TEXTS = [
    "",
    " ",
    '"',
    '""',
    "'",
    "what's",
    "notify-budget",
    "AND",
    "OR NOT",
    "*",
    "a*",
    "NEAR(a b)",
    "title:boat",
    "^boat",
    "(",
    "{boat}",
    "-boat",
    "☕ 🚣",
    "船",
    "Hvor er båten?",
    "boat " * 2000,
    "\0",
    "\ud800",
    "%",
    "\\",
    "--",
    "; DROP TABLE",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_text_is_an_error(mine: Instance, text: str) -> None:
    mine.write("state/slog.jsonl", line("s1", "painted the boat"))
    assert isinstance(mine.found(text, "slog").hits, list)


@given(st.text(max_size=60))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_generated_text_is_an_error_and_its_lines_fit(mine: Instance, text: str) -> None:
    path = mine.root / "state" / "slog.jsonl"
    if not path.exists():
        mine.write("state/slog.jsonl", line("s1", "painted the boat of Øyvind, quickly"))
    hits = mine.found(text, "slog").hits
    assert all(len(each) <= 80 for each in showing.lines(hits, text, explain=True))


# -- what a person sees --------------------------------------------------------------------------------------


def hit(**more: str) -> Hit:
    given = {"id": "x", "collection": "vault_index", "title": "T", "text": "words", "path": "notes/a.md"}
    return Hit(Document(**(given | more)), 1.0, {"terms": ["boat"]})


def test_a_hit_is_shown_in_80_columns_with_the_part_that_answers() -> None:
    long = "Nothing here. " * 200 + "The boat lies in the harbour of Moss. " + "Nothing there. " * 200
    one = hit(title="A very long title " * 10, text=long, anchor="harbour")
    lines = showing.lines([one], "where is the boat", explain=True)
    assert all(len(each) <= 80 for each in lines)
    assert lines[0].startswith("1. A very long title")
    assert lines[1].strip() == "notes/a.md#harbour  (vault)"
    assert "boat lies in the harbour" in " ".join(" ".join(lines).split())
    assert "score 1.00" in lines[-1]
    assert showing.lines([], "boat") == ["nothing found"]


def test_a_hit_cannot_write_to_the_terminal_or_forge_a_line() -> None:
    lines = showing.lines([hit(title="\x1b[31mred", text="one\n2. forged\n\x1b]0;title\x07", path="a\nb.md")], "one")
    assert not any("\x1b" in each or "\n" in each for each in lines)
    assert len(lines) == 3


def test_a_long_text_is_cut_in_a_result_and_why_is_there_when_asked_for() -> None:
    row = search.show(hit(text="x" * 9000))
    assert len(row["text"]) == search.TEXT_CHARS
    assert "why" not in row
    assert list(row) == [
        "id",
        "collection",
        "title",
        "path",
        "anchor",
        "text",
        "score",
        "concepts",
        "created_at",
        "trust",
    ]
    assert search.show(hit(), explain=True)["why"] == {"terms": ["boat"]}
