"""Drives the program through a life as cron would, and records what the person got to read."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import yaml

from bench.instances import CHECKOUT, environment
from bench.lives.life import Change, Fortnight, Life, Morning, Tree, lines_of

PROGRAM = CHECKOUT / "bin" / "adjutant"
LIMIT = 1800  # seconds that one call may take
_STAMP = re.compile(r"- \d{4}-\d\d-\d\d \d\d:\d\d · ")
_RUN = re.compile(r"\b(\d{8}T\d{6})-[0-9a-f]{4}\b")
_DATED = re.compile(r"20\d\d-\d\d-\d\d")
Step = dict[str, Any]


class Instance:
    """An instance of Adjutant, the folders it looks at, and what was read of its messages so far."""

    def __init__(self, life: Life, work: Path, began: datetime, settings: Mapping[str, Any]) -> None:
        self.life, self.root, self.bases = life, work / "instance", work / "kbs"
        self._events = self._read = 0
        self._env = environment(
            HOME=str(work), TZ=life.info.timezone, LC_ALL="C.UTF-8", COLUMNS="200", PYTHONDONTWRITEBYTECODE="1"
        )
        work.mkdir(parents=True, exist_ok=True)
        self._call(began, "init", str(self.root))
        given = {**settings, "instance": {**settings.get("instance", {}), "timezone": life.info.timezone}}
        (self.root / "adjutant.yaml").write_text(yaml.safe_dump(given, allow_unicode=True), encoding="utf-8")
        (self.root / "identity" / "heart.md").write_text(life.info.heart, encoding="utf-8")

    def run(self, when: datetime, *words: str) -> Step:
        """One verb at a time, and the notices that came of it."""
        done = self._call(when, *words, "--root", str(self.root))
        step = {
            "at": when.isoformat(),
            "verb": words[0],
            "args": [self._clean(word) for word in words[1:]],
            "rc": done.returncode,
        }
        step |= {"stdout": self._clean(done.stdout), "notices": self._notices()}
        return step | ({"stderr": self._clean(done.stderr)} if done.returncode else {})

    def _call(self, when: datetime, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(PROGRAM), *words],
            env={**self._env, "ADJUTANT_NOW": when.isoformat()},
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=LIMIT,
            check=words[0] in ("init", "kb"),
        )

    def _clean(self, text: str) -> str:
        for folder, name in ((f"{self.bases}/", ""), (str(self.bases), "<folders>"), (str(self.root), "<instance>")):
            text = text.replace(folder, name)
        return _RUN.sub(r"\1-run", text)

    def _notices(self) -> list[Step]:
        """What was sent since the last look, as it was delivered to the outbox."""
        log, outbox = self.root / "state" / "notices.jsonl", self.root / "state" / "outbox.md"
        events = [json.loads(line) for line in lines_of(log.read_text("utf-8")) if line] if log.exists() else []
        text = outbox.read_text("utf-8") if outbox.exists() else ""
        sent = [each for each in events[self._events :] if each.get("outcome") == "sent"]
        read = _messages(text[self._read :])
        self._events, self._read = len(events), len(text)
        if len(read) != len(sent):
            read = [str(each.get("text", "")) for each in sent]
        return [
            {"kind": each.get("kind"), "text": self._clean(text), "insights": self._insights(each)}
            for each, text in zip(sent, read, strict=True)
        ]

    def _insights(self, event: Mapping[str, Any]) -> list[Step]:
        """The insights that a notice rests on: title and evidence of each."""
        found = []
        for name in filter(None, str(event.get("insight") or "").split(",")):
            places = (self.root / "insights" / folder / name for folder in ("sent", "pending"))
            path = next((each for each in places if each.is_file()), None)
            if path is not None:
                _, head, body = path.read_text("utf-8").split("---\n", 2)
                front = yaml.safe_load(head)
                title = next((line[2:] for line in body.splitlines() if line.startswith("# ")), "")
                evidence = [
                    {"path": self._clean(str(each["path"])), "line": each.get("line"), "quote": each.get("quote", "")}
                    for each in front.get("evidence") or []
                ]
                found.append({"kb": front.get("kb") or "", "title": title, "evidence": evidence})
        return found


def lay_out(life: Life, folder: Path, tree: Mapping[str, str], morning: datetime) -> None:
    """Writes a folder. A file is as old as its name says, else one to five weeks, the same in every run."""
    for path, text in tree.items():
        dated = _DATED.search(path)
        age = timedelta(days=7 + crc32(path.encode("utf-8")) % 28)
        changed = life.time(f"{dated[0]}T18:00") if dated else morning - age
        put(folder / path, text, min(changed, morning))


def put(place: Path, text: str, changed: datetime) -> None:
    """Writes one file with its time."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    os.utime(place, (changed.timestamp(), changed.timestamp()))


def edit(folder: Path, tree: Tree, change: Change) -> None:
    """Carries out a change, in the folder and in the tree."""
    change.apply(tree)
    if change.path in tree:
        put(folder / change.path, tree[change.path], change.at)
    else:
        (folder / change.path).unlink()


def _messages(text: str) -> list[str]:
    """The messages of a piece of the outbox; further lines of one stand below its first."""
    found: list[str] = []
    for line in text.splitlines():
        stamp = _STAMP.match(line)
        if stamp:
            found.append(line[stamp.end() :])
        elif found:
            found[-1] += "\n" + line
    return found


def live(life: Fortnight, work: Path, settings: Mapping[str, Any]) -> list[Step]:
    """The days of a life: changes, then runs, then questions, each at its time. Raises CalledProcessError."""
    began = life.time(f"{life.info.start}T08:00")
    here = Instance(life, work, began, settings)
    tree = dict(life.tree_at())
    lay_out(life, here.bases / life.kb, tree, life.time(f"{life.info.start}T07:00"))
    steps = [here.run(began, "kb", "add", life.kb, str(here.bases / life.kb))]
    events = [(at, 1, number, verb) for number, (at, verb) in enumerate(life.slots())]
    events += [(each.at, 0, number, "") for number, each in enumerate(life.changes)]
    events += [(each.at, 2, number, "ask") for number, each in enumerate(life.questions)]
    for at, _, number, verb in sorted(events):
        if verb == "ask":
            steps.append(here.run(at, "ask", life.questions[number].ask))
        elif verb:
            steps.append(here.run(at, verb))
        else:
            edit(here.bases / life.kb, tree, life.changes[number])
    return steps


def wake(life: Morning, work: Path, settings: Mapping[str, Any]) -> list[Step]:
    """One pulse over the folders of a morning, what is open, and its questions. Raises CalledProcessError."""
    here = Instance(life, work, life.now, settings)
    steps = []
    for kb, tree in life.trees.items():
        lay_out(life, here.bases / kb, tree, life.now)
        steps.append(here.run(life.now, "kb", "add", kb, str(here.bases / kb)))
    steps.append(here.run(life.now, "pulse", "--json"))
    steps.append(here.run(life.now, "today", "--all", "--json"))
    steps += [here.run(life.now, "ask", each.ask) for each in life.questions]
    return steps
