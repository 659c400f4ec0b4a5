"""Nothing that a file, a file name, an argument or a setting holds steers the terminal: every verb, text and --json."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import tty
from pathlib import Path

import pytest

from adjutant import commands
from adjutant.printable import escape
from adjutant.screening.characters import INVISIBLE
from adjutant.store.settings import CHANNELS
from tests import warm
from tests.botapi import CHAT, BotApi
from tests.conftest import Guarded, adjutant, make_instance
from tests.places import Ntfy
from tests.system.world import DAY, HEART, World

STEERING = "\x1b[31m\x1b]52;c;aGk=\x07\x08\r\x9b2J\x85\u2028\u202e\u2066\u200b\u200d\u00ad\ufeff\x7f"
POISON = f"{STEERING}\U000e0041"
QUOTED = json.dumps(STEERING)  # a YAML scalar too
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
PROGRESS = "\r\x1b[K"  # our own, on a terminal alone
NOTE, KEY, RUN, INSIGHT = "20261119T090000-0001", "key-1", "20261119T090000-0002", "2026-11-19-0900.md"


NAMES = (
    "esc\x1b]52;c;aGk=\x07\x1b[31m.md",
    "back\rhome.md",
    "c1\x9b31m.md",
    "turn\u202edm.md",
    "hide\u200bn\ufeff.md",
)


def poison(world: World) -> None:
    """Every place that a verb reads holds what could steer a terminal."""
    lines = f"# Oven {POISON}\n\n- [ ] Pay the deposit for the oven {POISON} to Halvorsen, Ina, due 2026-11-17\n"
    mild = "# Permit\n\n- [ ] Hand in the \x1b[1mfire plan\x07 for the bakery opening, Ola, due 2026-11-18\n"
    sheet = f"item,due,status,{STEERING}\noven {POISON} deposit,2026-11-18,{POISON},x\n".replace("\r", "")
    latin = Path(os.fsdecode(os.fsencode(world.root / "knowledge_bases" / "home") + b"/latin\xff.md"))
    latin.parent.mkdir(parents=True)
    latin.write_text(mild)
    world.knowledge(
        "home", dict.fromkeys(NAMES, lines) | {"plan.csv": sheet, "permit.md": mild, "due.yaml": f"oven: {QUOTED}\n"}
    )
    registry = world.root / "knowledge_bases" / "registry.yaml"
    registry.write_text(f"{registry.read_text()}  description: {QUOTED}\n")
    world.write("identity/heart.md", f"{HEART}\n- Lamps {POISON}\n")
    for layer in ("user", "tools", "soul"):
        world.write(f"identity/{layer}.md", f"# {layer}\n\n{POISON} likes tea.\n")
    entry = f"### Suppliers {POISON}\n\n{POISON} are late.\n"
    world.write("identity/wisdom.md", f"# A - Wisdom\n\nLast compacted: never\n\n---\n\n{entry}")
    head = f"type: fact\ntrust: untrusted\ncreated: 2026-11-19T09:00:00+00:00\ntags: [{QUOTED}]\nsource: {QUOTED}"
    world.write(f"memory/notes/fact/{NOTE}.md", f"---\n{head}\n---\n\nred {POISON} oven\n\nmore\n")
    world.write(
        "skills/oven/SKILL.md", f"---\nname: {QUOTED}\ndescription: {QUOTED}\nworkload: {QUOTED}\n---\n{POISON}\n"
    )
    world.write(f"insights/pending/{INSIGHT}", f"# {POISON}\n\noven {POISON}\n")
    world.write(f"journal/{DAY}.md", f"## 08:00 — {POISON}\n\n- {POISON} was decided\n")
    world.write("memory/daily/2026-11-18.md", f"# 2026-11-18\n\n- {POISON} oven\n")
    world.write(".adjutantignore", POISON)
    ts = "2026-11-19T09:00:00+00:00"
    records = {
        "notices": {"key": KEY, "event": "sent", "outcome": "sent", "kind": "manual", "run": RUN, "channel": POISON},
        "actions": {"type": "pulse", "run": RUN, "status": POISON, "kbs_checked": [POISON], "issues_found": [POISON]},
        "slog": {"id": "l1", "concept": POISON, "tags": [POISON]},
        "marks": {"insight": INSIGHT, "state": POISON},
        "behavior/history": {"event": POISON, "reason": POISON},
        "behavior/candidates": {"id": "c-1", "type": "KEEP", "status": "pending", "reason": POISON},
        "wisdom": {"event": POISON, "run": POISON},
        "conversations/cli": {"id": "m1", "role": "user"},
        "telegram": {"update": 1, "event": "received", "date": 1, "session": POISON},
    }
    for name, record in records.items():
        row = json.dumps({"ts": ts, "text": f"oven {POISON}", **record}, ensure_ascii=False)
        world.write(f"state/{name}.jsonl", f"{row}\n{POISON}\n")
    world.write(f"state/runs/{RUN}/run.json", json.dumps({"run": RUN, "verb": POISON, "ts": ts, "status": POISON}))


@pytest.fixture
def hostile(pattern: Path, guarded: Guarded, tmp_path: Path) -> World:
    """A copy of a poisoned instance that has been through a pulse and a review."""
    made = pattern.parent / "hostile"
    if not made.exists():
        if not pattern.exists():
            adjutant("init", str(pattern), check=0)
        world = World(pattern).copy(made)
        poison(world)
        for verb in ("pulse", "review"):
            world.run(verb)
    return World(made).copy(tmp_path / "instance")


def seen(world: World, *words: str, **more: str) -> str:
    """What a person sees of a verb on a terminal of 100 columns: stdout and stderr as they come."""
    outer, inner = pty.openpty()
    tty.setraw(inner)
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    env = {**os.environ, "ADJUTANT_NOW": world.now, **world.env, **more}
    streams = {"stdin": subprocess.DEVNULL, "stdout": inner, "stderr": inner}
    with warm.start(world.words(*words), world.program, env=env, **streams) as process:
        os.close(inner)
        found = b""
        try:
            while piece := os.read(outer, 65536):
                found += piece
        except OSError:  # how a terminal ends
            pass
        os.close(outer)
        assert process.wait(60) != 70, found
    return found.decode()


VERBS = (
    ("init", f"new{STEERING}"),
    ("pulse",),
    ("pulse", "--estimate"),
    ("pulse", f"--{POISON}"),
    ("escalation",),
    ("today", "--all"),
    ("mark", "last", "snooze", POISON),
    ("review",),
    ("reflect", "--dry-run"),
    ("wisdom", "show"),
    ("wisdom", "history"),
    ("kb", "list"),
    ("kb", "info", "home"),
    ("kb", "info", POISON),
    ("kb", "add", POISON, "."),
    ("mail", POISON, "."),
    ("kb", "query", "home", "What about the oven?"),
    ("kb", POISON),
    ("notify", f"look {POISON}"),
    ("notices", "list"),
    ("why", KEY),
    ("why", INSIGHT),
    ("mark", POISON, "done"),
    ("behavior", "list"),
    ("behavior", "history"),
    ("behavior", "candidates"),
    ("behavior", "add", f"KEEP: {POISON}"),
    ("memory", "list"),
    ("memory", "show", NOTE),
    ("memory", "search", "oven"),
    ("compact",),
    ("distill",),
    ("evolve",),
    ("search", "oven"),
    ("ask", f"What about the oven {POISON}?"),
    ("ask", "What is open?"),
    ("delegate", POISON, POISON),
    ("job", "list", "--all"),
    ("job", "run", "ingest", POISON),
    ("job", "show", POISON),
    ("listen",),
    ("serve", "--bind", POISON),
    ("mcp", "--install", POISON),
    ("prompt", "show"),
    ("prompt", "layers"),
    ("index",),
    ("skills", "list"),
    ("backup", POISON),
    ("restore", POISON, POISON),
    ("merge",),
    ("worker", "--name", POISON),
    ("taxonomy", "classify", POISON),
    ("slog", "list"),
    ("slog", "add", f"{POISON} done"),
    ("runs", "list"),
    ("runs", "show", RUN),
    ("ledger",),
    ("status",),
    ("doctor",),
    ("schedule", "show"),
    ("pause", POISON),
    ("resume",),
    ("kill", POISON),
    ("start",),
    ("config", "show"),
    ("model", "--use", POISON, "--ports", "9"),
    ("model", "test"),
    ("version",),
    ("completion", "bash"),
    (f"nothing{POISON}",),
)


def test_every_verb_is_tried() -> None:
    assert {row.verb for row in commands.VERBS} <= {words[0] for words in VERBS}


@pytest.mark.parametrize("words", VERBS, ids=lambda words: escape(" ".join(words)).replace(escape(POISON), "*")[:40])
def test_no_verb_lets_a_text_steer_the_terminal(hostile: World, words: tuple[str, ...]) -> None:
    for mode in ((), ("--json",)):
        told = seen(hostile, *words, *mode, NO_COLOR="1").replace(PROGRESS, "")
        assert told and not FORBIDDEN.search(told), ascii(told)


@pytest.mark.parametrize(
    ("words", "raw"),
    [
        (("memory", "show", NOTE), (POISON,)),
        (("kb", "query", "home", "Where is the oven?"), NAMES),
        (("kb", "info", "home"), ("\x1b[31m\x1b]52;c;aGk=\x07",)),
        (("slog", "list"), (POISON,)),
    ],
)
def test_what_is_piped_is_as_safe_and_json_is_exact(
    hostile: World, words: tuple[str, ...], raw: tuple[str, ...]
) -> None:
    plain, envelope = hostile.run(*words, check=0), hostile.run(*words, "--json", check=0)
    for ran in (plain, envelope):
        assert not FORBIDDEN.search(ran.out + ran.err), ran
    exact = [each for each in raw if each in _strings(envelope.json)]
    assert exact
    assert words[0] == "slog" or all(escape(each) in plain.out for each in exact)


def _strings(value: object) -> str:
    """All that an envelope holds, decoded."""
    if isinstance(value, dict):
        return "\n".join(_strings(inner) for pair in value.items() for inner in pair)
    return "\n".join(map(_strings, value)) if isinstance(value, list) else str(value)


def test_what_a_person_opens_in_an_editor_or_cats_is_clean(hostile: World) -> None:
    written = {
        "the journal": hostile.journal().partition("was decided\n")[2],
        "the outbox": hostile.text("state/outbox.md"),
        "an insight": (hostile.root / "insights" / "sent" / f"{DAY}-0900.md").read_text(),
    }
    for where, text in written.items():
        assert "fire plan" in text and not FORBIDDEN.search(text), (where, ascii(text))


# -- every channel -------------------------------------------------------------------------------------------

SAID = (
    f"esc {STEERING} \x1b]8;;https://evil.example\x1b\\\\pay\x1b]8;;\x1b\\\\",
    "turned \u202eyap\u202c hidden \u200b\u2060 tag \U000e0041 half \udc80 line\rover\u2028next\x0b",
    "tap /kill@bot @somebody #tag $ABC https://evil.example evil.example +47 912 34 567 someone@evil.example",
    "[pay](https://evil.example) ![x](https://evil.example/a.png) <a href='https://evil.example'>pay</a> <b>x</b>",
    "`code` **bold** __under__ ~~gone~~ ||spoiler|| # heading > quote\n# heading\n- [ ] a box",
)
MARKUP = re.compile(r"\]\(|<[a-z/]|\*\*|~~|`|^#|\[ \]", re.MULTILINE)


@pytest.mark.parametrize("channel", CHANNELS)
def test_no_channel_carries_what_steers_or_can_be_tapped(world: World, channel: str) -> None:
    with BotApi() as api, Ntfy() as ntfy:
        world.settings(
            notifications__channel=channel,
            notifications__command=f"tee -a {world.root}/told.txt",
            notifications__max_per_day=5,
            messaging__telegram__api_base=api.url,
        )
        world.secrets(TELEGRAM_BOT_TOKEN="1:secret-of-this", TELEGRAM_CHAT_ID=CHAT, ADJUTANT_NOTIFY_URLS=ntfy.url())
        outcomes = [outcome_of(world, text) for text in SAID]
        told = {
            "outbox": lambda: world.text("state/outbox.md"),
            "command": lambda: world.text("told.txt"),
            "telegram": lambda: "\n".join(api.texts),
            # our own joiners keep services from making links of what looks like one
            "apprise": lambda: "\n".join(notice["message"].replace("\u2060", "") for notice in ntfy.notices),
        }[channel]()
        tapped = api.tapped
    assert outcomes == ["sent"] * len(SAID)
    assert (FORBIDDEN.findall(told), MARKUP.findall(told), tapped) == ([], [], [])


def outcome_of(world: World, text: str) -> str:
    """The outcome of a notice whose words come from a file of somebody else's."""
    told = world.run("notify", "-", "--json", stdin=text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return str(told.json["result"]["outcome"])


# -- the characters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n \ttab\n", "plain\n \ttab\n"),
        ("\x1b[31mred\x9b2J", "\\u001b[31mred\\u009b2J"),
        ("a\rb\r\nc\r", "a\\u000db\nc"),
        ("a\u202eb\u2028", "a\\u202eb\\u2028"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("name\udcff", "name\\udcff"),
        ("æøå — ok ✓ ❤️ \u00a0", "æøå — ok ✓ ❤️ \u00a0"),
        ("👨\u200d👩\u200d👧 می\u200cروم", "👨\u200d👩\u200d👧 می\u200cروم"),
        ("pa\u200dy \u200c👧\u200d", "pa\\u200dy \\u200c👧\\u200d"),
    ],
)
def test_what_is_unsafe_is_spelled_out(text: str, shown: str) -> None:
    assert escape(text) == shown == escape(shown)
    assert json.loads(escape(json.dumps(text, ensure_ascii=False))) == text


def test_all_that_the_screen_calls_invisible_is_spelled_out() -> None:
    invisible = [chr(code) for code in range(0x110000) if re.match(f"[{INVISIBLE}]", chr(code))]
    kept = {char for char in invisible if escape(char) == char}
    assert len(invisible) > 300
    assert kept <= set("\ufe0e\ufe0f") | {chr(code) for code in range(0xE0100, 0xE01F0)}


def test_an_encoding_that_lacks_a_letter_leaves_json_whole(tmp_path: Path) -> None:
    make_instance(tmp_path, instance__name="ærlig 🙂")
    for encoding in ("ascii", "latin-1", "utf-8"):
        ran = adjutant("config", "show", "--json", cwd=tmp_path, check=0, PYTHONIOENCODING=encoding)
        assert "ærlig 🙂" in _strings(ran.json), encoding


def test_a_closed_stdout_is_no_bug(tmp_path: Path) -> None:
    make_instance(tmp_path)
    program = 'exec "$0" -P -m adjutant status >&-'
    done = subprocess.run(["sh", "-c", program, sys.executable], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr == b""
    assert not (tmp_path / "state" / "crash").exists()
