"""Items, entries and matters for tests of the distiller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjutant.domain.wisdom.book import Book, DistillMatter, StandingRule, WisdomReply
from adjutant.domain.wisdom.items import MONTH, NOTE, WisdomItem

DAY = "2026-12-01"


def item(
    id: str, text: str, section: str = "decision", trust: str = "operator", date: str = "2026-11-10", **more: Any
) -> WisdomItem:
    """A note, or a bullet where the section is one of a month."""
    kind = MONTH if section[0].isupper() else NOTE
    return WisdomItem(id=id, kind=kind, section=section, text=text, trust=trust, date=date, sha256="0" * 64, **more)


def standing(title: str, text: str = "", since: str = "2026-11-01", **more: Any) -> StandingRule:
    return StandingRule(title, text or f"{title}.", since=since, **more)


def matter(items: Sequence[WisdomItem], current: Sequence[StandingRule] = (), **more: Any) -> DistillMatter:
    usual: dict[str, Any] = {
        "name": "Adjutant",
        "day": DAY,
        "newline": "\n",
        "max_entries": 20,
        "max_chars": 8000,
        "categories": (),
    }
    return DistillMatter(current=tuple(current), items=tuple(items), **usual | more)


def applied(matter: DistillMatter, reply: WisdomReply) -> Book:
    return Book(matter.current, matter.categories).apply(matter, reply)


def decided(outcome: Book) -> dict[str, tuple[str, str]]:
    """{item: (decision, entry)}."""
    return {each.item: (each.decision, each.entry) for each in outcome.decisions}
