"""Knowledge bases and the picture of them day by day; open matters made by hand."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from adjutant.domain.matters import drawing
from adjutant.domain.matters.picture import Open, Picture
from adjutant.domain.matters.signal import Evidence
from adjutant.records import matters_log
from adjutant.records.heart import Heart
from adjutant.records.matters_log import Known
from tests.conftest import TestedApp, make_app
from tests.noticing import NO_HEART, TODAY


class Vault:
    """An instance with knowledge bases, at nine o'clock of any day."""

    def __init__(self, root: Path, *names: str, heart: Heart = NO_HEART, **settings: Any) -> None:
        self.root, self.heart = root, heart
        make_app(root, **settings)
        self.write("knowledge_bases/registry.yaml", "".join(f"- name: {name}\n  path: {name}\n" for name in names))
        for name in names:
            (root / name).mkdir()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def app(self, day: int = 0) -> TestedApp:
        """The instance `day` days after Monday, 23 November 2026."""
        return make_app(self.root, now=f"{TODAY + timedelta(days=day)}T09:00:00+00:00", run=f"run-{day}")

    def look(self, day: int = 0) -> Picture:
        """The picture of that day, what is new of it written into the register."""
        app = self.app(day)
        picture = drawing.draw(app, self.heart)
        matters_log.append(app.files, picture.events)
        return picture

    def ids(self, day: int = 0) -> dict[str, str]:
        """{what a matter says: its id} of that day's picture."""
        return {each.what: each.id for each in self.look(day).matters}

    def known(self) -> dict[str, Known]:
        return matters_log.read(self.app().files)

    def tell(self, *ids: str, day: int = 0, event: str = "sent", kind: str = "escalation") -> None:
        """A notice that named these left that day."""
        app = self.app(day)
        record = {"ts": app.clock.now().isoformat(), "key": f"{day}-{'-'.join(ids)}", "event": event, "kind": kind}
        app.files.append(app.tree.notices, {**record, "outcome": event, "run": app.run, "matters": list(ids)})

    def mark(self, id: str, state: str, *, day: int = 0, until: int | None = None) -> None:
        app, end = self.app(day), str(TODAY + timedelta(days=until)) if until is not None else None
        matters_log.append_mark(app.files, state, app.clock.now(), until=end, matter=id)

    def news(self, day: int = 0) -> dict[str, str]:
        """{what a matter says: why it is to be told} of that day, for what is."""
        picture, known = self.look(day), self.known()
        found = {each.what: drawing.news(each, known, picture.now) for each in picture.matters}
        return {what: why for what, why in found.items() if why}


def made(what: str = "Pay the rent", day: int | None = 0, **more: Any) -> Open:
    """An open matter that is due `day` days after TODAY."""
    last = TODAY + timedelta(days=day) if day is not None else None
    fields: dict[str, Any] = {
        "id": "k7f2",
        "kb": "home",
        "what": what,
        "kind": "task",
        "severity": "high",
        "first": last,
        "last": last,
        "evidence": [Evidence("tasks.md", 3, f"- [ ] {what}")],
    }
    return Open(**{**fields, **more})


def days(*ahead: int) -> list[date]:
    return [TODAY + timedelta(days=each) for each in ahead]
