"""DOMAIN. What a verb's result says in a chat: short, plain, never JSON. Each takes the verb's `result` of spec/60."""

from __future__ import annotations

import re
from typing import Any

Result = dict[str, Any]
QUOTE, DIFF_LINES, SHOWN_LINES = 300, 20, 200


def status(result: Result) -> str:
    """Switches, budget, last and next runs, what waits."""
    lines = []
    for name in ("paused", "killed"):
        if isinstance(on := result.get(name), dict):
            why = f": {on['reason']}" if on.get("reason") else ""
            lines.append(f"{name.upper()} since {_when(on.get('since'))}{why}")
    lines = lines or ["Running."]
    if result.get("dry_run"):
        lines.append("debug.dry_run is on: nothing is done")
    budget = result.get("budget")
    if isinstance(budget, dict):
        lines.append(f"Notices today: {budget.get('used')} of {budget.get('max')}")
    for label, key in (("Last", "last"), ("Next", "next")):
        times = result.get(key) or {}
        known = [f"{stage} {_when(when)}" for stage, when in times.items() if when]
        lines.append(f"{label}: {', '.join(known) or 'none'}")
    waiting = result.get("pending_insights") or []
    lines += [f"Waiting insights: {len(waiting)}", *(f"· {name}" for name in waiting[:5])] if waiting else []
    unsent = result.get("notices_unsent") or []
    lines += [f"Held-back notices: {len(unsent)}"] if unsent else []
    if missed := result.get("missed"):
        lines.append(f"Missed runs: {len(missed)}")
    if (contract := result.get("contract")) and contract.get("directives"):
        lines.append(f"Directives: {contract['directives']}")
    return "\n".join([*lines, *(f"! {problem}" for problem in result.get("problems") or [])])


def switched(result: Result) -> str:
    """pause, resume, kill."""
    words = [name.upper() for name in ("paused", "killed") if result.get(name)]
    if "KILLED" in words:
        return "PAUSED and KILLED are set, and this listener stops. On the machine, `adjutant start` undoes it."
    return "PAUSED is set: nothing starts, and what runs stops. /resume lifts it." if words else "Running."


def pulse(result: Result) -> str:
    """What was looked at, what was found, what was told."""
    looked, found = _count(result.get("kbs_checked"), "knowledge base"), _count(result.get("issues_found"), "issue")
    lines = [f"Looked at {looked}, {found}."]
    lines += [f"· {issue}" for issue in result.get("issues_found") or []]
    lines += [f"Unavailable: {each.get('name')}: {each.get('reason')}" for each in result.get("kbs_unavailable") or []]
    lines += [f"{each.get('trigger')}: {each.get('action')}" for each in result.get("escalations") or []]
    return "\n".join([*lines, *_damaged(result), *_degraded(result)])


def review(result: Result) -> str:
    """The recommendations, and what became of the notice."""
    found = result.get("recommendations") or []
    lines = [f"{number}. {text}" for number, text in enumerate(found, 1)] or ["Nothing to recommend."]
    lines += [f"Notice: {result['notice']}"] if result.get("notice") else []
    return "\n".join([*lines, *_damaged(result), *_degraded(result)])


def kb_list(result: Result) -> str:
    """Their names and sizes."""
    rows = result.get("knowledge_bases") or []
    lines = [f"{each.get('name')}: {each.get('unavailable') or _count(each.get('files'), 'file')}" for each in rows]
    return "\n".join([*lines, "Ask one: /kb NAME QUESTION"] if lines else ["No knowledge base is registered."])


def jobs(result: Result) -> str:
    """What waits, runs and failed; a proposal is accepted on the machine."""
    rows = result.get("jobs") or []
    lines = [f"{each.get('status')}: {each.get('name')} {_short(each.get('input'))}" for each in rows]
    if any(each.get("status") == "proposed" for each in rows):
        lines.append("On the machine, `adjutant job accept ID` lets one be worked.")
    return "\n".join(lines) or "No jobs."


def kb_query(result: Result) -> str:
    """The answer and the lines it rests on."""
    rows = result.get("citations") or []
    cited = [f"· {each.get('path')}:{each.get('line')}: {_short(each.get('quote'))}" for each in rows]
    return "\n".join([str(result.get("answer", "")), *cited, *_degraded(result)])


def ask(result: Result) -> str:
    """Who answered, when it was not the conductor, the answer, its sources. What became of directives is in it."""
    head = [f"{result['agent']}:"] if result.get("agent") not in (None, "conductor") else []
    answer = str(result.get("answer", ""))
    paths = dict.fromkeys(str(each.get("path")) for each in result.get("citations") or [] if isinstance(each, dict))
    cited = [f"· {path}" for path in paths if path not in answer]
    return "\n".join([*head, answer, *cited, *_degraded(result)]) or "No answer."


def saved(result: Result) -> str:
    """The note's id and what it is about."""
    about = ", ".join(result.get("concepts") or []) or "no concept"
    again = " The note said so already." if result.get("outcome") == "reinforced" else ""
    return f"Kept as {result.get('id')} ({result.get('type')}, {about}).{again} /forget {result.get('id')} undoes it."


def hits(result: Result) -> str:
    """What was found, best first."""
    found = [f"{each.get('id')}  {each.get('title')}\n{_short(each.get('text'))}" for each in result.get("hits") or []]
    return "\n\n".join(found) or "Nothing found."


def forgotten(result: Result) -> str:
    """Which notes are gone, and how they come back."""
    ids = " ".join(result.get("ids") or [])
    return f"Forgotten: {ids}. On the machine, `adjutant memory restore {ids}` brings back what was forgotten."


def directives(result: Result) -> str:
    """All that hold."""
    return (
        "\n".join(map(_directive, result.get("directives") or []))
        or "There are no directives. Write one as a line of its own: KEEP: short answers"
    )


def changed(result: Result) -> str:
    """What became of a directive or a candidate."""
    each = result.get("directive") or {}
    told = "it is there already" if result.get("outcome") == "duplicate" else str(result.get("outcome"))
    lines = [f"{_directive(each)}: {told}" if each else told.capitalize()]
    lines += [f"{_directive(gone)}: gone for it" for gone in result.get("replaced") or []]
    return "\n".join([*lines, f"Contract version {(result.get('contract') or {}).get('version')}."])


def candidates(result: Result) -> str:
    """What was proposed and waits."""
    lines = []
    for each in result.get("candidates") or []:
        sure = each.get("confidence")
        lines.append(_directive(each) + (f"  ({sure:.0%})" if isinstance(sure, int | float) else ""))
    return "\n".join([*lines, "/promote ID or /reject ID"] if lines else ["Nothing is proposed."])


def evolution(result: Result) -> str:
    """What is new, how many wait from before, and why there is nothing."""
    new = result.get("suggestions") or []
    lines = [f"{each.get('id')}  {each.get('title')}" for each in new]
    if result.get("status") in ("stopped", "skipped"):
        lines.append(f"{str(result['status']).capitalize()}: {result.get('reason')}.")
    elif result.get("outcome") == "not_enough_data":
        lines.append(f"{_count(result.get('read'), 'turn')} so far; {result.get('needed')} are needed.")
    elif not new:
        lines.append("Nothing new.")
    known = {each.get("id") for each in new}
    waiting = [each for each in result.get("waiting") or [] if each.get("id") not in known]
    lines += [f"Waiting from before: {len(waiting)}. /evolve list names them."] if waiting else []
    return "\n".join([*lines, *(["/accept ID or /reject ID"] if new else []), *_degraded(result)])


def suggestions(result: Result) -> str:
    """Those that wait."""
    lines = []
    for each in result.get("suggestions") or []:
        lines.append(f"{each.get('id')}  {each.get('title')}" + ("  (stale)" if each.get("status") == "stale" else ""))
    return "\n".join([*lines, "/accept ID or /reject ID"] if lines else ["None waits."])


def proposed(result: Result) -> str:
    """A suggestion with all of its diff, and how exactly that is accepted."""
    each = result.get("suggestion") or {}
    lines = [f"{each.get('id')}  {each.get('title')}: {each.get('status')} ({each.get('path')})"]
    diff = str(each.get("diff", "")).split("\n")
    if each.get("status") != "pending":
        return lines[0]
    if len(diff) > SHOWN_LINES:
        return f"{lines[0]}\nIt is too long for the chat: `adjutant evolve show {each.get('id')}` on the machine."
    return "\n".join([*lines, *diff, f"To accept exactly this: /accept {each.get('id')} {each.get('shown')}"])


def decided(result: Result) -> str:
    """What became of a suggestion, and in which file."""
    lines = [f"{result.get('id')}  {result.get('title')}: {result.get('status')} ({result.get('path')})"]
    if result.get("status") == "accepted":
        diff = str(result.get("diff", "")).split("\n")
        lines += [line for line in diff if re.match(r"(?!\+\+\+ |--- )[+-]", line)][:DIFF_LINES]
        lines.append(f"On the machine, `adjutant evolve revert {result.get('id')}` takes it back.")
    return "\n".join(lines)


def chain(result: Result) -> str:
    """From the notice back to file and line."""
    lines = []
    for each in result.get("chain") or []:
        lines += [f"{each.get('kind')}: {each.get('text')}", *([f"  {each['path']}"] if each.get("path") else [])]
    return "\n".join(lines) or "No reason is on record."


def marked(result: Result) -> str:
    """What was marked as what."""
    found = result.get("marked") or {}
    until = f" until {found['until']}" if found.get("until") else ""
    named = found.get("matter") or found.get("insight") or found.get("notice")
    return f"{named}: {'snoozed' if until else found.get('state')}{until}"


def today(result: Result) -> str:
    """What is open, a line each with its id."""
    return "\n".join(map(str, result.get("lines") or []))


def _directive(each: Result) -> str:
    return f"{each.get('id')}  {each.get('type')}: {each.get('text')}"


def _when(moment: Any) -> str:
    return str(moment)[:16].replace("T", " ") if moment else "unknown"


def _count(found: Any, what: str) -> str:
    number = len(found) if isinstance(found, list) else int(found or 0)
    return f"{number} {what}{'' if number == 1 else 's'}"


def _short(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= QUOTE else f"{line[: QUOTE - 1].rstrip()}…"


def _damaged(result: Result) -> list[str]:
    return [f"Damaged: {name}" for name in result.get("damaged") or []]


def _degraded(result: Result) -> list[str]:
    return [f"(without the model: {result['degraded']})"] if result.get("degraded") else []
