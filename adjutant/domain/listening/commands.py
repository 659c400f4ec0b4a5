"""DOMAIN. The commands of the chat: a row each, what it runs, and how its answer reads.

A command is there when its verb is in the table of verbs. Nothing that the operator wrote becomes a word of a command
line: it goes to the verb's standard input.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container
from typing import Any, NamedTuple

from adjutant.domain.listening import answers
from adjutant.records.telegram_log import Job
from adjutant.records.telegram_update import FORWARDED, Update

Tell = Callable[[dict[str, Any]], str]
# Where the fix of an error names a verb that has its command, the command is what helps here.
_SAID = {
    "status": "/status",
    "resume": "/resume",
    "kb list": "/kb",
    "behavior list": "/behavior",
    "behavior candidates": "/candidates",
    "evolve list": "/evolve list",
    "pulse": "/pulse",
    "behavior remove ID": "/behavior remove ID",
}
_VERB = re.compile(r"`adjutant ([a-zA-Z ]+)`")
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
CONFIRM, NEW, HELP, START, ASK, KILL = "confirm", "new", "help", "start", "ask", "kill"


class Plan(NamedTuple):
    """A verb to run: `words` after `adjutant`, what stands on its standard input, and how its result reads.

    `again`: running it twice is as good as once. `long`: a model may be asked. `own`: its answer quotes nobody.
    `grows`: its answer may be shown while it comes.
    """

    words: tuple[str, ...]
    stdin: str
    tell: Tell
    again: bool = False
    long: bool = False
    own: bool = False
    grows: bool = False


class Command(NamedTuple):
    """A row. `verb`: the verb it needs, "" for none. `plan` None: the listener answers by itself.

    `needs`: so many words behind it at least. `urgent`: it is handled while another one is under way.
    `paused`: it is answered under PAUSED. `confirmed`: what it will do, told before its /confirm; "" asks for none.
    """

    name: str
    verb: str
    usage: str
    help: str
    plan: Callable[[str], Plan] | None = None
    needs: int = 0
    urgent: bool = False
    paused: bool = False
    confirmed: str = ""


def _plan(words: str, rest: str, tell: Tell, again: bool = False, long: bool = False, own: bool = False) -> Plan:
    """What stands behind the command goes to standard input if there is a `-` among the words, else nowhere."""
    split = tuple(words.split())
    return Plan(split, rest if "-" in split else "", tell, again, long, own)


def _fixed(words: str, tell: Tell, again: bool = False, long: bool = False) -> Callable[[str], Plan]:
    return lambda rest: _plan(words, rest, tell, again, long)


def _kb(rest: str) -> Plan:
    if not rest:
        return _plan("kb list", "", answers.kb_list, again=True)
    return _plan("kb query -", rest, answers.kb_query, again=True, long=True)


def _behavior(rest: str) -> Plan:
    if not rest:
        return _plan("behavior list", "", answers.directives, again=True)
    word, _, id = rest.partition(" ")
    if word.lower() == "remove" and id.strip():
        return _plan("behavior remove -", id.strip(), answers.changed)
    if word.lower() == "replace" and id.strip():
        return _plan("behavior add --replace -", id.strip(), answers.changed, again=True)
    return _plan("behavior add -", rest, answers.changed, again=True)


def _evolve(rest: str) -> Plan:
    if rest.lower() == "list":
        return _plan("evolve list", "", answers.suggestions, again=True)
    return _plan("evolve", "", answers.evolution, long=True)


def _reject(rest: str) -> Plan:
    """A candidate, or a suggestion of `evolve`: what begins with s- is one."""
    if rest.lower().startswith("s-"):
        return _plan("evolve reject -", rest, answers.decided)
    return _plan("behavior reject -", rest, answers.changed)


def _accept(rest: str) -> Plan:
    """An id alone shows what it would change; with the digest that stands below, exactly that is accepted."""
    if len(rest.split()) < 2:
        return _plan("evolve show -", rest, answers.proposed, again=True)
    return _plan("evolve accept -", " ".join(rest.split()), answers.decided)


def _switch(verb: str) -> Callable[[str], Plan]:
    return lambda rest: _plan(f"{verb} -" if rest else verb, rest, answers.switched, own=True)


def _today(rest: str) -> Plan:
    return _plan(f"today --{rest}" if rest in DAYS else "today", "", answers.today, again=True)


def _mark(name: str, help: str) -> Command:
    return Command(name, "mark", "ID", help, _fixed(f"mark - {name}", answers.marked), needs=1)


DAYS = ("week", "waiting", "all")
LIFTS = "It lifts PAUSED: everything scheduled runs again."
KILLS = "It sets PAUSED and KILLED, and this listener stops: only `adjutant start` on the machine undoes it."
LOOKS = "It looks at everything now, may ask a model and may send a notice."
SAVE, SEARCH = _fixed("memory save -", answers.saved, again=True), _fixed("memory search -", answers.hits, again=True)
STATUS = _fixed("status", answers.status, again=True)
SNOOZE = _fixed("mark - snooze", answers.marked)
CANDIDATES = _fixed("behavior candidates", answers.candidates, again=True)
TABLE: tuple[Command, ...] = (
    Command("status", "status", "", "what runs, what waits", STATUS, urgent=True, paused=True),
    Command("today", "today", "[week|waiting|all]", "what is late or due; the ids are for /done and /why", _today),
    Command("pause", "pause", "[WHY]", "stop everything before its next step", _switch("pause"), urgent=True),
    Command(
        "resume",
        "resume",
        "",
        "undo /pause; asks for /confirm",
        lambda rest: _switch("resume")(""),
        urgent=True,
        paused=True,
        confirmed=LIFTS,
    ),
    Command(
        KILL,
        "kill",
        "[WHY]",
        "pause, and stop answering here; asks for /confirm",
        _switch("kill"),
        urgent=True,
        confirmed=KILLS,
    ),
    Command("pulse", "pulse", "", "look at the knowledge bases now", _fixed("pulse", answers.pulse, long=True)),
    Command(
        "reflect",
        "reflect",
        "",
        "the review in depth, now; asks for /confirm",
        _fixed("reflect", answers.review, long=True),
        confirmed=LOOKS,
    ),
    Command("kb", "kb", "[NAME QUESTION]", "list the knowledge bases, or ask one", _kb),
    Command("jobs", "job", "", "the jobs that wait, run or failed", _fixed("job list", answers.jobs, again=True)),
    Command(ASK, "ask", "TEXT", "the same as TEXT alone", needs=1),
    Command(NEW, "", "", "begin another conversation"),
    Command("remember", "memory", "TEXT", "keep a note", SAVE, needs=1),
    Command("recall", "memory", "WORDS", "find notes", SEARCH, needs=1),
    Command("forget", "memory", "ID…", "remove notes", _fixed("memory forget -", answers.forgotten), needs=1),
    Command(
        "behavior",
        "behavior",
        "[KEEP: … | replace KEEP: … | remove ID]",
        "your directives; add one, remove one",
        _behavior,
    ),
    Command("candidates", "behavior", "", "proposed directives", CANDIDATES),
    Command(
        "promote",
        "behavior",
        "ID",
        "make a proposed directive active",
        _fixed("behavior promote -", answers.changed),
        needs=1,
    ),
    Command("reject", "behavior", "ID", "decline a proposed directive or a suggestion", _reject, needs=1),
    Command("evolve", "evolve", "[list]", "look for suggestions; list: those that wait", _evolve),
    Command(
        "accept", "evolve", "ID [DIGEST]", "show a suggestion; with its digest, accept exactly that", _accept, needs=1
    ),
    Command(
        "why",
        "why",
        "[ID]",
        "why you were told; alone: the newest notice",
        lambda rest: _plan("why -", rest or "last", answers.chain, again=True),
    ),
    _mark("done", "the matter is done"),
    Command("snooze", "mark", "ID DAY", "be silent about it until a day, such as friday", SNOOZE, needs=2),
    _mark("useful", "telling me was right"),
    _mark("useless", "tell me no more of that"),
    Command(HELP, "", "", "this list", urgent=True, paused=True),
)
ROWS = {row.name: row for row in TABLE} | {
    CONFIRM: Command(CONFIRM, "", "", "do what needs a confirmation"),
    START: Command(START, "", "", "what Telegram itself sends first", urgent=True, paused=True),
}


def parse(update: Update) -> tuple[str, str]:
    """(command, what stands behind it); the command is "" for a text, and for words that are not the operator's own."""
    text = update.text or ""
    if not update.own:
        return "", FORWARDED + text
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return "", text
    name, _, code = found[1].lower().partition("_")
    return (name, code) if name == CONFIRM and code else (found[1].lower(), (found[2] or "").strip())


def asking(job: Job, text: str) -> Plan:
    """A turn: the message's id keeps it from being answered twice."""
    words = ("ask", "-", "--session", job.session, "--id", f"tg-{job.update.id}")
    return Plan(words, text, answers.ask, again=True, long=True, grows=True)


def planned(job: Job, row: Command, rest: str) -> Plan:
    """What a command runs; a press of a button is bound to what was told."""
    assert row.plan is not None
    plan, press = row.plan(rest), job.update.press
    if press is None or plan.words[0] != "mark":
        return plan
    return plan._replace(words=(*plan.words, "--seal", press.button.split(":")[2]))


def runs_again(job: Job) -> bool:
    """True when what the message asks for is done twice as well as once."""
    name, rest = parse(job.update)
    row = ROWS.get(name or ASK)
    if job.update.press is not None:
        return True  # its seal says whether it still holds
    return row is None or (row.plan(rest).again if row.plan is not None else name != CONFIRM)


def unknown(name: str, verbs: Container[str]) -> tuple[str, str]:
    """The line for a command that is not there: the part that quotes it, and our own words behind."""
    if name in ROWS:
        return f"/{name} is not part of this version.", " /help lists what is."
    near = difflib.get_close_matches(name, [row.name for row in TABLE if _there(row, verbs)], n=1)
    return f"There is no /{name[:40]}.", (f" Did you mean /{near[0]}?" if near else "") + " /help lists all."


def known(name: str, verbs: Container[str]) -> Command | None:
    """The row of a command whose verb is there."""
    row = ROWS.get(name)
    return row if row is not None and _there(row, verbs) else None


def helped(verbs: Container[str]) -> str:
    """/help."""
    rows = [f"/{row.name}{' ' if row.usage else ''}{row.usage} - {row.help}" for row in TABLE if _there(row, verbs)]
    return "\n".join(
        [
            "Write what you want to know, or:",
            *rows,
            "",
            "A line such as `KEEP: short answers` in any message becomes a standing directive.",
        ]
    )


def in_chat(fix: str) -> str:
    """What to do about an error, as it is done in the chat; what has no command is done on the machine."""
    said = _VERB.sub(lambda found: _SAID.get(found[1], found[0]), fix)
    return said.replace("with `--replace`", "with `/behavior replace KEEP: …`")


def _there(row: Command, verbs: Container[str]) -> bool:
    return not row.verb or row.verb in verbs
