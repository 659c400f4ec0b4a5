"""DOMAIN. The commands of the chat: a row each, and what it runs.

A command is there when its verb is in the table of verbs. Nothing that the operator wrote becomes a word of a command
line: it goes to the verb's standard input.
"""

import difflib
import os
import re
import sys
from collections.abc import Callable, Container
from typing import NamedTuple

from adjutant.app import App
from adjutant.children import child, growth, leash
from adjutant.records.telegram_log import FORWARDED, Job, Update

# Where an answer names a verb that has its command, the command is what helps here.
_SAID = {
    "status": "/status",
    "resume": "/resume",
    "kb list": "/kb",
    "behavior list": "/behavior",
    "behavior candidates": "/candidates",
    "evolve list": "/evolve list",
    "pulse": "/pulse",
    "today --all": "/today all",
    "job list": "/jobs",
    "behavior remove ID": "/behavior remove ID",
}
_VERB = re.compile(r"`adjutant ([a-zA-Z -]+)`")
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
CONFIRM, NEW, HELP, START, ASK, KILL = "confirm", "new", "help", "start", "ask", "kill"
DAYS = ("week", "waiting", "all")
LIFTS = "It lifts PAUSED: everything scheduled runs again."
KILLS = "It sets PAUSED and KILLED, and this listener stops: only `adjutant start` on the machine undoes it."
LOOKS = "It looks at everything now, may ask a model and may send a notice."
LONG = ("pulse", "reflect", "kb query -", "evolve")  # a model may be asked
# Running these twice is as good as once.
AGAIN = frozenset(
    (
        *("status", "today", *(f"today --{day}" for day in DAYS), "kb list", "kb query -", "job list", "why -"),
        *("memory save -", "memory search -", "behavior list", "behavior add -", "behavior add --replace -"),
        *("behavior candidates", "evolve list", "evolve show -"),
    )
)


class Plan(NamedTuple):
    """A verb to run: `words` after `adjutant`, and what stands on its standard input. `long`: a model may be asked;
    `grows`: its answer may be shown while it comes."""

    words: tuple[str, ...]
    stdin: str
    long: bool = False
    grows: bool = False


class Command(NamedTuple):
    """A row. `verb`: the verb it needs, "" for none. `runs`: words after `adjutant`, with a `-` where what stands
    behind the command is their standard input; "": the listener answers by itself. `needs`: so many words behind it at
    least. `urgent`: it is handled while another one is under way. `paused`: it is answered under PAUSED. `confirmed`:
    what it will do, told before its /confirm; "" asks for none."""

    name: str
    verb: str
    usage: str
    help: str
    runs: str = ""
    needs: int = 0
    urgent: bool = False
    paused: bool = False
    confirmed: str = ""


TABLE: tuple[Command, ...] = (
    Command("status", "status", "", "what runs, what waits", "status", urgent=True, paused=True),
    Command("today", "today", "[week|waiting|all]", "what is late or due; the ids are for /done and /why", "today"),
    Command("pause", "pause", "[WHY]", "stop everything before its next step", "pause", urgent=True),
    Command("resume", "resume", "", "undo /pause; asks for /confirm", "resume", 0, True, True, LIFTS),
    Command(KILL, "kill", "[WHY]", "pause, and stop answering here; asks for /confirm", "kill", 0, True, False, KILLS),
    Command("pulse", "pulse", "", "look at the knowledge bases now", "pulse"),
    Command("reflect", "reflect", "", "the review in depth, now; asks for /confirm", "reflect", confirmed=LOOKS),
    Command("kb", "kb", "[NAME QUESTION]", "list the knowledge bases, or ask one", "kb query -"),
    Command("jobs", "job", "", "the jobs that wait, run or failed", "job list"),
    Command(ASK, "ask", "TEXT", "the same as TEXT alone", needs=1),
    Command(NEW, "", "", "begin another conversation"),
    Command("remember", "memory", "TEXT", "keep a note", "memory save -", 1),
    Command("recall", "memory", "WORDS", "find notes", "memory search -", 1),
    Command("forget", "memory", "ID…", "remove notes", "memory forget -", 1),
    Command("behavior", "behavior", "[KEEP: … | replace KEEP: … | remove ID]", "your directives", "behavior add -"),
    Command("candidates", "behavior", "", "proposed directives", "behavior candidates"),
    Command("promote", "behavior", "ID", "make a proposed directive active", "behavior promote -", 1),
    Command("reject", "behavior", "ID", "decline a proposed directive or a suggestion", "behavior reject -", 1),
    Command("evolve", "evolve", "[list]", "look for suggestions; list: those that wait", "evolve"),
    Command("accept", "evolve", "ID [DIGEST]", "show one; with its digest, accept exactly that", "evolve show -", 1),
    Command("why", "why", "[ID]", "why you were told; alone: the newest notice", "why -"),
    Command("done", "mark", "ID", "the matter is done", "mark - done", 1),
    Command("snooze", "mark", "ID DAY", "be silent about it until a day, such as friday", "mark - snooze", 2),
    Command("useful", "mark", "ID", "telling me was right", "mark - useful", 1),
    Command("useless", "mark", "ID", "tell me no more of that", "mark - useless", 1),
    Command(HELP, "", "", "this list", urgent=True, paused=True),
)
ROWS = {row.name: row for row in TABLE} | {
    CONFIRM: Command(CONFIRM, "", "", "do what needs a confirmation"),
    START: Command(START, "", "", "what Telegram itself sends first", urgent=True, paused=True),
}


def choose_words(row: Command, rest: str) -> tuple[str, str]:
    """The words that a command runs, and their standard input."""
    word, _, more = rest.partition(" ")
    word, more = word.lower(), more.strip()
    match row.name:
        case "today" if rest in DAYS:
            return f"today --{rest}", ""
        case "pause" | "kill" if rest:
            return f"{row.name} -", rest
        case "kb" | "behavior" if not rest:
            return f"{row.name} list", ""
        case "behavior" if word == "remove" and more:
            return "behavior remove -", more
        case "behavior" if word == "replace" and more:
            return "behavior add --replace -", more
        case "evolve" if word == "list":
            return "evolve list", ""
        case "reject" if word.startswith("s-"):  # a suggestion's id; others are candidates
            return "evolve reject -", rest
        case "accept" if more:  # an id alone shows what it would change; with its digest exactly that is accepted
            return "evolve accept -", " ".join(rest.split())
        case "why" if not rest:
            return "why -", "last"
    return row.runs, rest if "-" in row.runs.split() else ""


def plan(job: Job, row: Command, rest: str) -> Plan:
    """What a command runs; a press of a button is bound to what was told."""
    text, given = choose_words(row, rest)
    words, press = tuple(text.split()), job.update.press
    if press is not None and words[0] == "mark":
        words += ("--seal", press.button.split(":")[2])
    return Plan(words, given, long=text in LONG)


def plan_turn(job: Job, text: str) -> Plan:
    """A turn: the message's id keeps it from being answered twice."""
    words = ("ask", "-", "--session", job.session, "--id", f"tg-{job.update.id}")
    return Plan(words, text, long=True, grows=True)


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


def runs_again(job: Job) -> bool:
    """True when what the message asks for is done twice as well as once; of a press its seal says whether it holds."""
    name, rest = parse(job.update)
    row = ROWS.get(name or ASK)
    if row is None or not row.runs or job.update.press is not None:
        return name != CONFIRM
    return choose_words(row, rest)[0] in AGAIN


def deny(name: str, verbs: Container[str]) -> tuple[str, str]:
    """The line for a command that is not there: the part that quotes it, and our own words behind."""
    if name in ROWS:
        return f"/{name} is not part of this version.", " /help lists what is."
    near = difflib.get_close_matches(name, [row.name for row in TABLE if _is_there(row, verbs)], n=1)
    return f"There is no /{name[:40]}.", (f" Did you mean /{near[0]}?" if near else "") + " /help lists all."


def find(name: str, verbs: Container[str]) -> Command | None:
    """The row of a command whose verb is there."""
    row = ROWS.get(name)
    return row if row is not None and _is_there(row, verbs) else None


def list_all(verbs: Container[str]) -> str:
    """/help."""
    rows = [f"/{row.name}{' ' if row.usage else ''}{row.usage} - {row.help}" for row in TABLE if _is_there(row, verbs)]
    last = "A line such as `KEEP: short answers` in any message becomes a standing directive."
    return "\n".join(["Write what you want to know, or:", *rows, "", last])


def put_in_chat(text: str) -> str:
    """A verb's text with what to do as it is done in the chat; what has no command is done on the machine."""
    said = _VERB.sub(lambda found: _SAID.get(found[1], found[0]), text)
    return said.replace("with `--replace`", "with `/behavior replace KEEP: …`")


def _is_there(row: Command, verbs: Container[str]) -> bool:
    return not row.verb or row.verb in verbs


QUICK, SPARE = 60.0, 60.0  # seconds: for a verb without a model, and beyond limits.run_seconds for one with
GRACE = 0.2  # a child that is told to end has this long: the listener itself has a second
OUT_LIMIT = 4 * 1024 * 1024
LONGEST = 24_000  # characters of an answer
OWN_WORDS = ("pause", "resume", "kill")  # verbs whose answers quote nobody
UNSURE = "I do not know whether it did its work: /status shows how things are."
ANSWERED, REFUSED, BROKE = "answered", "refused", "broke"
_ERROR = re.compile(r"^adjutant: (.*)\Z", re.MULTILINE | re.DOTALL)
_DIGEST = re.compile(r"^  digest: (\w+)$", re.MULTILINE)


class ChildReply(NamedTuple):
    """What to say, and how it came out: answered, refused or broke. `text` may quote anybody, so nothing in it can be
    tapped; in `own`, our words behind it, commands can."""

    text: str
    outcome: str
    own: str = ""


def run(app: App, plan: Plan, watch: Callable[[], None], show: Callable[[str], None] = lambda text: None) -> ChildReply:
    """Runs the verb to its end or its time limit. What `watch` raises ends it, and is raised. `show` is given the
    answer of a plan that grows, while it comes."""
    seconds = app.config.number("limits.run_seconds") + SPARE if plan.long else QUICK
    leashed = [sys.executable, "-I", "-S", os.path.realpath(leash.__file__), str(os.getpid())]
    argv = [*leashed, sys.executable, "-P", "-m", "adjutant", *plan.words, "--root", app.tree.root]
    verb = " ".join(word for word in plan.words[:2] if word.isalpha())
    receiver = growth.Receiver() if plan.grows else None

    def look() -> None:
        watch()
        if receiver is not None and (text := receiver.newest()) is not None:
            show(text)

    try:
        ended = child.run(
            argv if receiver is None else [*argv, "--grow", str(receiver.fd)],
            env=app.environment,
            cwd=app.tree.root,
            stdin=plan.stdin.encode("utf-8", "replace"),
            seconds=seconds,
            out_limit=OUT_LIMIT,
            watch=look,
            pass_fds=() if receiver is None else (receiver.fd,),
            grace=GRACE,
        )
    except OSError as error:  # no memory, too many processes: the next message may find it better
        return ChildReply("", BROKE, f"`{verb}` could not be run ({error.strerror or error}). {UNSURE}")
    finally:
        if receiver is not None:
            receiver.close()
    if ended.cause is not None:
        why = f"took longer than {seconds:g} s" if ended.cause == "timeout" else "printed too much"
        return ChildReply("", BROKE, f"`{verb}` {why} and was ended. {UNSURE}")
    return _tell(ended, verb, plan)


def _tell(ended: child.Ended, verb: str, plan: Plan) -> ChildReply:
    text = put_in_chat(ended.out.decode("utf-8", "replace").strip("\n"))
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n… it is too long for the chat."
    if ended.code == 0:
        if plan.words[0] in OWN_WORDS:
            return ChildReply("", ANSWERED, text)
        if plan.words[:2] == ("evolve", "show") and (digest := _DIGEST.search(text)):
            text = f"{text}\nTo accept exactly this: /accept {text.split()[0]} {digest[1]}"
        return ChildReply(text or "Done.", ANSWERED)
    error = _ERROR.search(ended.err.decode("utf-8", "replace"))
    if error is not None:
        said = put_in_chat(error[1].strip()).replace("\n  fix: ", "\nWhat to do: ")
        text = f"{text}\n{said}".strip()
    if not text or ended.code < 0:
        how = f"signal {-ended.code}" if ended.code < 0 else f"exit {ended.code}"
        return ChildReply("", BROKE, f"`{verb}` broke off ({how}). {UNSURE}")
    return ChildReply(text, REFUSED)
