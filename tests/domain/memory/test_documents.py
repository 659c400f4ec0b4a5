"""Notes, periods and wisdom as documents that can be found."""

from __future__ import annotations

import pytest

from adjutant.domain.recall.sources import memory
from adjutant.errors import FileDamaged
from adjutant.records import note as note_file
from adjutant.records.note import Note

DAILY = """---
sources:
  - {path: journal/2026-11-20.md, sha256: abc}
---
# 2026-11-20

## Key events

- The oven came [journal 2026-11-20 09:00]
  and works
- The mill raises its price [kb bakery:mill.md:4]
- Ina asks twice [agent] [conversations s1/3] [conversations s1/9]

## Open threads

* Permit waits for Ola [conversations s1/17]
"""
WISDOM = """# Adjutant - Wisdom

Distilled principles. Read this first every session (after SOUL.md).

Last compacted: 2026-11-20

---

**Say the price first**
Ina reads the first line only.

## Bakery

**Never deploy on Fridays (pinned)**
Nobody is there on Saturday.
Not even Ola.
"""


def test_a_note_is_a_document_under_its_own_id() -> None:
    made = Note(
        id="x1",
        type="gotcha",
        title="Tea",
        body="Tea is at four.",
        created="2026-11-20T09:00:00+01:00",
        concepts=("adjutant:comms",),
        tags=("b",),
        reinforced=("2026-11-21", "2026-12-01"),
        trust="untrusted",
    )
    data = note_file.render(made).encode()
    [found] = memory.notes("memory/notes/gotcha/x1.md", data)
    assert (found.id, found.collection, found.title, found.text) == ("x1", "agent_memory", "Tea", "Tea is at four.")
    assert (found.concepts, found.tags) == (("adjutant:comms",), ("gotcha", "b"))
    assert (found.trust, found.level) == ("untrusted", 0)
    assert (found.created_at, found.updated_at) == ("2026-11-20T09:00:00+01:00", "2026-12-01T00:00:00+00:00")
    assert len(found.source_sha) == 64
    assert not found.superseded
    hidden = note_file.revise(data, "p", superseded_by="x2")
    assert memory.notes("memory/notes/gotcha/x1.md", hidden)[0].superseded
    with pytest.raises(FileDamaged, match=r"x1\.md:3"):
        memory.notes("memory/notes/idea/x1.md", b"---\ntitle: a\ntrust: me\n---\nTea\n")
    with pytest.raises(FileDamaged, match="no type of note"):
        memory.notes("memory/notes/idea/x1.md", b"Tea\n")


def test_a_period_is_a_document_a_bullet_and_no_more_trusted_than_its_source() -> None:
    found = memory.periods("memory/daily/2026-11-20.md", DAILY.encode())
    assert [each.id for each in found] == [
        "2026-11-20/key-events/1",
        "2026-11-20/key-events/2",
        "2026-11-20/key-events/3",
        "2026-11-20/open-threads/1",
    ]
    assert [each.trust for each in found] == ["operator", "untrusted", "agent", "operator"]
    assert found[0].text == "The oven came [journal 2026-11-20 09:00]\nand works"
    assert found[2].text == "Ina asks twice [conversations s1/3] [conversations s1/9]"
    assert (found[0].title, found[0].anchor, found[0].level) == ("2026-11-20 Key events", "key-events", 1)
    assert found[0].created_at == "2026-11-20T00:00:00+00:00"
    assert "Friday" in found[0].names
    assert len({each.source_sha for each in found}) == 4


@pytest.mark.parametrize(
    ("path", "level", "day"),
    [
        ("memory/weekly/2026-W47.md", 2, "2026-11-22"),
        ("memory/monthly/2026-02.md", 3, "2026-03-01"),
    ],
)
def test_a_week_and_a_month_end_on_their_last_day(path: str, level: int, day: str) -> None:
    [found] = memory.periods(path, b"## Lessons\n\n- Ring the mill early [journal 2026-11-20 09:00]\n")
    assert (found.level, found.created_at[:10]) == (level, day)


@pytest.mark.parametrize(
    "path",
    [
        "memory/daily/notes.md",
        "memory/daily/2026-W47.md",
        "memory/weekly/2026-W60.md",
        "memory/monthly/2026-13.md",
    ],
)
def test_a_file_whose_name_is_no_period_is_none(path: str) -> None:
    assert memory.periods(path, DAILY.encode()) == []


def test_wisdom_is_a_document_an_entry() -> None:
    found = memory.wisdom("identity/wisdom.md", WISDOM.encode())
    assert [(each.id, each.title, each.tags) for each in found] == [
        ("wisdom/say-the-price-first", "Say the price first", ()),
        ("wisdom/never-deploy-on-fridays", "Never deploy on Fridays", ("Bakery",)),
    ]
    assert found[1].text == "Nobody is there on Saturday.\nNot even Ola."
    assert found[1].trust == "operator"
    assert found[0].created_at == "2026-11-20T00:00:00+00:00"
    assert memory.wisdom("identity/wisdom.md", WISDOM.partition("**")[0].encode()) == []
