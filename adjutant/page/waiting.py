"""SHELL. Everything that waits for a yes, in one list, the oldest first: suggestions, candidates, proposals."""

from __future__ import annotations

import os

from adjutant.app import Row
from adjutant.desk import Desk
from adjutant.page import opening

SUGGESTION, CANDIDATE, PROPOSAL = "suggestion", "candidate", "proposal"
TEXT = 6000


def count(desk: Desk) -> int:
    """How many wait."""
    return len(_suggestions(desk)) + len(_candidates(desk)) + len(_proposals(desk))


def everything(desk: Desk) -> list[Row]:
    """{sort, id, title, since, shown, …} of each. `shown`: what a form is bound to, and its words."""
    found = [_suggestion(desk, each["id"]) for each in _suggestions(desk)]
    found += [_candidate(each) for each in _candidates(desk)]
    found += [_proposal(desk, name) for name in _proposals(desk)]
    return sorted(found, key=lambda each: str(each["since"]))


def find(desk: Desk, sort: str, id: str) -> Row | None:
    """One of them as it is now, None where it waits no more."""
    if sort == SUGGESTION:
        return next((_suggestion(desk, each["id"]) for each in _suggestions(desk) if each["id"] == id), None)
    return next((_candidate(each) for each in _candidates(desk) if each["id"] == id), None)


def _suggestions(desk: Desk) -> list[Row]:
    return list(desk.look("evolve", "list").result["suggestions"])


def _candidates(desk: Desk) -> list[Row]:
    return list(desk.look("behavior", "candidates").result["candidates"])


def _proposals(desk: Desk) -> list[str]:
    try:
        names = os.listdir(desk.tree.conflicts)
    except OSError:
        return []
    return [name for name in names if not name.startswith(".") and os.path.isfile(desk.tree.conflict(name))]


def _suggestion(desk: Desk, id: str) -> Row:
    each = desk.look("evolve", "show", id).result["suggestion"]
    return {
        **{key: each[key] for key in ("kind", "title", "status", "path", "effect", "note", "rehearsal")},
        "sort": SUGGESTION,
        "id": id,
        "since": each["ts"],
        "file": opening.inside(each["path"]),
        "diff": each["diff"][:TEXT].split("\n") if each["diff"] else [],
        "quotes": [str(quote.get("text", "")) for quote in each["evidence"]][:5],
        "shown": (
            {key: each[key] for key in ("id", "path", "diff", "status", "shown")},
            f"{each['title']} ({each['status']})\n{each['path']}\n{each['diff']}",
        ),
    }


def _candidate(each: Row) -> Row:
    said = f"{str(each['type']).upper()}: {each['text']}"
    quotes = [quote.get("quote") if isinstance(quote, dict) else quote for quote in each.get("evidence") or []]
    return {
        **{"sort": CANDIDATE, "kind": "directive", "id": each["id"], "title": said, "since": each["createdAt"]},
        **{"status": each["status"], "expires": each.get("expiresAt")},
        "quotes": [str(quote) for quote in quotes if quote][:5],
        "shown": ({key: each[key] for key in ("id", "type", "text", "status")}, said),
    }


def _proposal(desk: Desk, name: str) -> Row:
    """A text that lost against a person's edit, or waits for their word: they take what they want of it by hand."""
    app, path = desk.app("kb"), desk.tree.conflict(name)
    try:
        text = app.files.read(path, 64 * 1024, cut=True).decode("utf-8", "replace")
        since = app.clock.local(os.stat(path).st_mtime).isoformat()
    except OSError:
        text, since = "", ""
    relative = desk.tree.relative(path)
    return {
        **{"sort": PROPOSAL, "kind": "proposal", "id": name, "title": name, "since": since, "status": "pending"},
        **{"path": relative, "file": opening.inside(relative), "text": text[:TEXT]},
        "shown": ({"id": name, "text": text}, text),
    }
