"""DOMAIN. A verb as a child: its words fixed, the operator's text on its standard input, its lines as the answer."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import NamedTuple

from adjutant.app import App
from adjutant.children import child, growth, leash
from adjutant.domain.listening.commands import Plan, put_in_chat

QUICK, SPARE = 60.0, 60.0  # seconds: for a verb without a model, and beyond limits.run_seconds for one with
GRACE = 0.2  # a child that is told to end has this long: the listener itself has a second
OUT_LIMIT = 4 * 1024 * 1024
LONGEST = 24_000  # characters of an answer
OWN = ("pause", "resume", "kill")  # verbs whose answers quote nobody
UNSURE = "I do not know whether it did its work: /status shows how things are."
ANSWERED, REFUSED, BROKE = "answered", "refused", "broke"
_ERROR = re.compile(r"^adjutant: (.*)\Z", re.MULTILINE | re.DOTALL)
_DIGEST = re.compile(r"^  digest: (\w+)$", re.MULTILINE)


class ChildReply(NamedTuple):
    """What to say, and how it came out: answered, refused or broke.

    `text` may quote anybody, so nothing in it can be tapped; in `own`, our words behind it, commands can.
    """

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
        if plan.words[0] in OWN:
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
