"""Signals merged into matters: the rule-based triage, and the one-line brief of a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from adjutant.domain.knowledge.findings import LEVELS, Evidence, Extraction, RaisedIssue, Signal
from adjutant.records.heart import Heart

MAX_EVIDENCE = 5
SAME_SHARE = 0.6


def issues(signals_by_kb: Mapping[str, Sequence[Signal]], heart: Heart, now: datetime) -> list[RaisedIssue]:
    """The rule-based triage: relevant signals from medium up, one issue a matter, worst first."""
    del heart  # what it says is in the signals already
    groups: list[tuple[str, list[Signal]]] = []
    for kb in sorted(signals_by_kb):
        groups += [(kb, group) for group in _by_matter(signals_by_kb[kb])]
    raised = [_issue(kb, group, now.date()) for kb, group in _across(groups)]
    return [issue for _, issue in sorted(raised, key=lambda r: r[0])]


def _raised(signal: Signal) -> bool:
    return signal.muted is None and LEVELS.index(signal.severity) >= 1


def _by_matter(signals: Sequence[Signal]) -> list[list[Signal]]:
    groups: dict[str, list[Signal]] = {}
    for signal in signals:
        if _raised(signal):
            groups.setdefault(signal.matter or f"{signal.path}:{signal.line}", []).append(signal)
    merged: list[list[Signal]] = []
    for key in sorted(groups):
        path, _, rest = key.partition("#")
        whole = groups.get(f"{path}#0")
        if whole is not None and rest != "0" and _within(whole[0], groups[key], ":" not in rest):
            whole += groups[key]
            continue
        merged.append(groups[key])
    return merged


def _within(whole: Signal, group: Sequence[Signal], plain: bool) -> bool:
    """Whether a group belongs to the matter of its file's own due date."""
    if whole.kind not in ("deadline", "overdue"):
        return False
    return plain or any(piece.line == whole.line for signal in group for piece in signal.evidence)


def _across(groups: Sequence[tuple[str, list[Signal]]]) -> list[tuple[str, list[Signal]]]:
    """Joins matters of different files that say the same of the same thing."""
    kept: list[tuple[str, list[Signal]]] = []
    for kb, group in sorted(groups, key=lambda g: _order(g[1])):
        stems = {s for signal in group for s in signal.stems}
        for other_kb, other in kept:
            known = {s for signal in other for s in signal.stems}
            shared = len(stems & known)
            if (
                shared >= 3
                and shared >= SAME_SHARE * min(len(stems), len(known))
                and other[0].concern == group[0].concern
            ):
                if other_kb == kb:
                    other += group
                break
        else:
            kept.append((kb, list(group)))
    return kept


def _order(group: Sequence[Signal]) -> tuple[int, float, str, int]:
    best = max(group, key=lambda s: (LEVELS.index(s.severity), s.score))
    return (-LEVELS.index(best.severity), -best.score, best.path, best.line)


def _severity(group: Sequence[Signal], today: date) -> str:
    """The worst of the group; critical where a day at hand and a trouble on a priority meet in one matter."""
    worst = max(LEVELS.index(s.severity) for s in group)
    days = [(date.fromisoformat(s.date) - today).days for s in group if s.date]
    pressing = any(-60 <= d <= 2 for d in days)
    trouble = any(s.kind not in ("deadline", "task", "overdue") and s.score >= 0.6 for s in group)
    if pressing and trouble and any(s.part == "priority" for s in group) and len(group) > 1:
        worst = 3
    return LEVELS[worst]


def _issue(kb: str, group: Sequence[Signal], today: date) -> tuple[tuple[int, float, str, str, int], RaisedIssue]:
    ordered = sorted(group, key=lambda s: (-LEVELS.index(s.severity), -s.score, s.path, s.line))
    first = ordered[0]
    evidence: list[Evidence] = []
    for signal in ordered:
        for piece in signal.evidence[:1]:
            if piece not in evidence:
                evidence.append(piece)
    for signal in ordered:
        for piece in signal.evidence[1:]:
            if piece not in evidence:
                evidence.append(piece)
    severity = _severity(group, today)
    issue = RaisedIssue(kb, first.title, first.why, first.concern, severity, evidence[:MAX_EVIDENCE])
    return (-LEVELS.index(severity), -first.score, kb, first.path, first.line), issue


def summary(extraction: Extraction) -> str:
    """One line: open tasks, deadlines, what is stuck, and the most telling item."""
    today = date.fromisoformat(extraction.today)
    days = [date.fromisoformat(day) for day, _, _ in extraction.deadlines]
    overdue = sum(1 for d in days if d < today and (today - d).days <= 200)
    soon = sum(1 for d in days if 0 <= (d - today).days <= 14)
    live = [s for s in extraction.signals if s.muted is None]
    stuck = sum(1 for s in live if s.kind in ("blocked", "waiting"))
    parts = [_count(extraction.open_tasks, "open task")]
    if overdue:
        parts.append(f"{overdue} overdue")
    if soon:
        parts.append(_count(soon, "deadline") + " within 14 days")
    if stuck:
        parts.append(f"{stuck} blocked or waiting")
    text = ", ".join(parts)
    if live:
        top = live[0]
        text += f"; {top.title} ({top.path}:{top.line})"
    else:
        text += "; nothing that needs attention"
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
