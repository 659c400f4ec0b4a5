"""DOMAIN. The commands of the chat, and what each runs: the operator's words stand on standard input alone."""

import difflib
import os
import re
import sys
from collections.abc import Callable, Container
from typing import NamedTuple

from adjutant.app import App
from adjutant.children import child, growth, leash
from adjutant.records.telegram_log import FORWARDED, Job, Update
from adjutant.store import package

CONFIRM, NEW, HELP, START, ASK, KILL = "confirm", "new", "help", "start", "ask", "kill"
DAYS = ("week", "waiting", "all")
LONG = ("ask", "pulse", "reflect", "kb query", "evolve")  # a model may be asked
# Running these twice is as good as once.
AGAIN = (
    *("status", "today", *(f"today --{day}" for day in DAYS), "kb list", "kb query -", "job list", "why -", "ask -"),
    *("memory save -", "memory search -", "behavior list", "behavior add -", "behavior add --replace -"),
    *("behavior candidates", "evolve list", "evolve show -"),
)
CONFIRMED = {  # what a command will do, told before its /confirm
    "resume": "It lifts PAUSED: everything scheduled runs again.",
    "kill": "It sets PAUSED and KILLED, and this listener stops: only `adjutant start` on the machine undoes it.",
    "reflect": "It looks at everything now, may ask a model and may send a notice.",
}
_VERB = re.compile(r"`adjutant ([a-zA-Z -]+)`")
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


class Plan(NamedTuple):
    """A verb to run: `words` after `adjutant`, and what stands on its standard input."""

    words: tuple[str, ...]
    stdin: str


class Command:
    """A row, as the head of commands.txt explains it. `needs`: so many words behind it at least."""

    def __init__(self, line: str) -> None:
        said, self.runs, words, self.help = (part.strip() for part in line.rsplit("|", 3))
        self.name, _, self.usage = said.partition(" ")
        self.verb, self.needs = self.runs.partition(" ")[0], len(self.usage.partition("[")[0].split())
        self.urgent, self.paused, self.hidden = (word in words.split() for word in ("urgent", "paused", "hidden"))

    def is_there(self, verbs: Container[str]) -> bool:
        return not self.verb or self.verb in verbs


_LINES = package.text("domain", "listening", "commands.txt").splitlines()
ROWS = {row.name: row for row in map(Command, (line for line in _LINES if line and line[0] != "#"))}
TABLE = tuple(row for row in ROWS.values() if not row.hidden)
# Where an answer names a verb that has its command, the command is what helps here.
_SAID = {row.runs: f"/{row.name}" for row in TABLE if "-" not in row.runs}
_SAID |= {"kb list": "/kb", "behavior list": "/behavior", "today --all": "/today all"}
_SAID |= {each: f"/{each}" for each in ("evolve list", "behavior remove ID")}


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
    return Plan(words, given)


def plan_turn(job: Job, text: str) -> Plan:
    """A turn: the message's id keeps it from being answered twice."""
    return Plan(("ask", "-", "--session", job.session, "--id", f"tg-{job.update.id}"), text)


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
    near = difflib.get_close_matches(name, [row.name for row in TABLE if row.is_there(verbs)], n=1)
    return f"There is no /{name[:40]}.", (f" Did you mean /{near[0]}?" if near else "") + " /help lists all."


def find(name: str, verbs: Container[str]) -> Command | None:
    """The row of a command whose verb is there."""
    row = ROWS.get(name)
    return row if row is not None and row.is_there(verbs) else None


def list_all(verbs: Container[str]) -> str:
    """/help."""
    rows = [f"/{row.name}{' ' if row.usage else ''}{row.usage} - {row.help}" for row in TABLE if row.is_there(verbs)]
    last = "A line such as `KEEP: short answers` in any message becomes a standing directive."
    return "\n".join(["Write what you want to know, or:", *rows, "", last])


def put_in_chat(text: str) -> str:
    """A verb's text with what to do as it is done in the chat; what has no command is done on the machine."""
    said = _VERB.sub(lambda found: _SAID.get(found[1], found[0]), text)
    return said.replace("with `--replace`", "with `/behavior replace KEEP: …`")


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


def run(app: App, plan: Plan, watch: Callable[[], None], show: Callable[[str | None], None]) -> ChildReply:
    """Runs the verb to its end or its time limit. What `watch` raises ends it, and is raised. `show` is given what has
    come of a turn's answer, ten times a second: None where nothing new has."""
    verb = " ".join(word for word in plan.words[:2] if word.isalpha())
    seconds = app.config.number("limits.run_seconds") + SPARE if verb in LONG else QUICK
    leashed = [sys.executable, "-I", "-S", os.path.realpath(leash.__file__), str(os.getpid())]
    argv = [*leashed, sys.executable, "-P", "-m", "adjutant", *plan.words, "--root", app.tree.root]
    receiver = growth.Receiver() if verb == ASK else None
    if receiver is not None:
        argv += ["--grow", str(receiver.fd)]

    def look() -> None:
        watch()
        if receiver is not None:
            show(receiver.newest())

    try:
        ended = child.run(
            argv,
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
