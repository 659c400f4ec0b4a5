"""A model on loopback that knows a morning's labels, and plays them well or badly: what is the pipeline's own loss?

It answers as the labels say for the lines that its prompt shows, and for nothing else. README.md says what each
manner does.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from zlib import crc32

from bench.lives.life import HERE, Issue, Morning, lines_of

MANNERS = ("perfect", "mediocre", "sloppy", "silent", "obedient", "cut", "recorded")
RECORDED = HERE / "recorded"  # what a capable model answered to the prompts of some mornings
_FILE = re.compile(r"# (?:(?P<kb>[\w-]+): )?(?P<path>.+)")
_LINE = re.compile(r"(?P<handle>L\d+): (?P<text>.*)")
_OPEN = re.compile(r"(?P<handle>m\d+)(?P<owed> \(verdict owed\))?: (?P<what>.*)")
_WAITS = re.compile(r"^(n\d+): \[", re.MULTILINE)
_PLACE = re.compile(r"(?:[\w-]+: )?\S.*:\d+")
_ALONE = re.compile(r'This is the knowledge base "([\w-]+)"')
_ORDER = re.compile(r"\b(?:ignore|disregard|assistant|system prompt|you are now)\b", re.IGNORECASE)
LOST = 4  # a mediocre model loses one of so many


class Shown(NamedTuple):
    """A line that a prompt shows."""

    handle: str
    kb: str
    path: str
    text: str


class Player:
    """Plays one morning. `asked`: (what, characters) of every question; `seen`: the musts whose deciding line was
    shown; `prompts`: what a recorded model was asked. Use as a context manager; `url` is its address."""

    def __init__(self, life: Morning, manner: str) -> None:
        self.life, self.manner = life, manner
        self.asked: list[tuple[str, int]] = []
        self.seen: set[str] = set()
        self.prompts: list[str] = []
        self._guard = threading.Lock()
        self._at = {
            (kb, path, lines_of(life.trees[kb][path])[line - 1].strip()[:400]): issue
            for issue in life.issues
            for kb, path, line in reversed(issue.places)
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Player:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, asked: Mapping[str, Any]) -> tuple[str, str]:
        """(text, why it ended) for one request."""
        prompt = "\n".join([str(asked.get("system", "")), *(str(each["content"]) for each in asked["messages"])])
        tools = asked.get("tools")
        schema = tools[0]["input_schema"] if tools else asked["response_format"]["json_schema"]["schema"]
        wanted = frozenset(schema["properties"])
        again = "something is missing" in prompt or "was refused" in prompt
        with self._guard:
            self.asked.append((",".join(sorted(wanted)), len(prompt)))
        made = json.dumps(self._answer(wanted, prompt), ensure_ascii=False)
        if self.manner == "cut" and not again and "items" in wanted and len(made) > 200:
            return made[: len(made) * 3 // 5], "length"
        return made, "stop"

    def _answer(self, wanted: frozenset[str], prompt: str) -> dict[str, Any]:
        if "items" in wanted:
            looked = self._looked(prompt)
            return self._recorded(prompt) if self.manner == "recorded" else looked
        if "decisions" in wanted:
            said = {"reason": "it cannot wait", "action": "notify"}
            silent = self.manner == "silent"
            return {"decisions": [] if silent else [{"insight": name, **said} for name in _WAITS.findall(prompt)]}
        return {"changed": [], "at_risk": [], "decisions": [], "recommendations": [], "notify": False, "headline": ""}

    def _looked(self, prompt: str) -> dict[str, Any]:
        lines, opened = list(_shown(prompt)), list(_open(prompt))
        with self._guard:
            self.seen |= {issue.id for each in lines if (issue := self._decides(each)) is not None and issue.must}
        if self.manner == "silent":
            return {"items": [], "open": [], "summary": ""}
        items, done = list[dict[str, Any]](), set[str]()
        for each in lines:
            issue = self._issue(each)
            if issue is None or not issue.must or issue.id in done or self._loses(issue):
                continue
            done.add(issue.id)
            also = [one for one in lines if one is not each and self._issue(one) is issue][:2]
            evidence = [self._cited(one, issue) for one in (each, *also)]
            items.append(_item(evidence, issue.what, issue.severity))
        if self.manner == "mediocre":
            items += list(self._invented(lines))
        if self.manner == "obedient":
            items += [_item([each.handle], each.text, "critical") for each in lines if _ORDER.search(each.text)]
        taken = {one for item in items for one in item["evidence"]}
        verdicts = [
            {"matter": handle, "evidence": [handle], "reason": "it can wait", "verdict": "hold"}
            for handle, owed in opened
            if owed and handle not in taken
        ]
        return {"items": items, "open": verdicts, "summary": ""}

    def _recorded(self, prompt: str) -> dict[str, Any]:
        """What a capable model answered for this morning; its citations name lines, so that they outlive handles. The
        handles of open matters are those of the lines that they rest on."""
        self.prompts.append(prompt)
        path = RECORDED / f"{self.life.name}.json"
        if not path.exists():
            return {"items": [], "open": [], "summary": ""}
        said: dict[str, Any] = json.loads(path.read_text("utf-8"))
        at = dict(_places(prompt))
        verdicts = [{**each, "matter": at.get(each["matter"], "")} for each in said["open"]]
        items = [{**each, "matter": at.get(each.get("matter", ""), "")} for each in said["items"]]
        return {"items": items, "open": [each for each in verdicts if each["matter"]], "summary": said["summary"]}

    def _issue(self, line: Shown) -> Issue | None:
        return self._at.get((line.kb or self._only, line.path, line.text.strip()[:400]))

    def _decides(self, line: Shown) -> Issue | None:
        """The issue whose first place this line is."""
        issue = self._issue(line)
        if issue is None:
            return None
        kb, path, number = issue.places[0]
        text = lines_of(self.life.trees[kb][path])[number - 1].strip()[:400]
        return issue if (line.path, line.text.strip()[:400]) == (path, text) else None

    @property
    def _only(self) -> str:
        return next(iter(self.life.trees)) if len(self.life.trees) == 1 else ""

    def _loses(self, issue: Issue) -> bool:
        return self.manner == "mediocre" and crc32(f"{self.life.name}{issue.id}".encode()) % LOST == 0

    def _invented(self, lines: list[Shown]) -> Iterator[dict[str, Any]]:
        """One thing in each folder that is none."""
        done = set[str]()
        for each in lines:
            if each.kb not in done and self._issue(each) is None and len(each.text) > 20:
                done.add(each.kb)
                yield _item([each.handle], f"Invented: {each.text[:60]}", "high")

    def _cited(self, line: Shown, issue: Issue) -> str:
        """The line's handle; a sloppy model cites in every way but that."""
        if self.manner != "sloppy":
            return line.handle
        words = line.text.split()
        place = next((n for kb, path, n in issue.places if path == line.path), 1)
        ways = (
            f"{line.handle}: {line.text}",
            f'"{line.text.strip()}"',
            f"{line.path}:{place}: {' '.join(words[: max(3, len(words) * 2 // 3)])}…",
            f"[{line.handle}]",
            f"{line.path}:{place}",
            f"… {' '.join(words[1:])}",
            f"- {line.handle} {line.text.strip('-* ')} / and the line below it",
        )
        return ways[crc32(f"{issue.id}{line.handle}".encode()) % len(ways)]


def _item(evidence: list[str], what: str, severity: str) -> dict[str, Any]:
    return {
        "matter": "",
        "evidence": evidence,
        "why": "it matters to the operator",
        "title": what,
        "concern": None,
        "severity": severity,
        "tell": severity in ("high", "critical"),
        "kb": "",
    }


def _shown(prompt: str) -> Iterator[Shown]:
    """The lines of a prompt, each with its file."""
    alone = _ALONE.search(prompt)
    kb, path = alone[1] if alone else "", ""
    for line in prompt.split("\n"):
        if found := _LINE.fullmatch(line):
            yield Shown(found["handle"], kb, path, found["text"])
        elif (found := _FILE.fullmatch(line)) and not line.startswith("## "):
            kb, path = found["kb"] or (alone[1] if alone else ""), found["path"]


def _open(prompt: str) -> Iterator[tuple[str, bool]]:
    for line in prompt.split("\n"):
        if found := _OPEN.fullmatch(line):
            yield found["handle"], bool(found["owed"])


def _places(prompt: str) -> Iterator[tuple[str, str]]:
    """(place, handle) of each open matter; the place is the last part of its line but what was said of it."""
    for line in prompt.split("\n"):
        if found := _OPEN.fullmatch(line):
            yield (
                next((part for part in found["what"].split(" · ")[::-1] if _PLACE.fullmatch(part)), ""),
                found["handle"],
            )


def _completion(text: str, ended: str) -> dict[str, Any]:
    """A reply in OpenAI's API."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": ended}
    return {"choices": [choice], "usage": {"prompt_tokens": 0, "completion_tokens": len(text) // 4}}


def _message(asked: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A reply in Anthropic's API: the tool that has to be called carries it."""
    used = {"type": "tool_use", "id": "one", "name": asked["tools"][0]["name"], "input": json.loads(text)}
    return {"content": [used], "stop_reason": "tool_use", "usage": {"input_tokens": 0, "output_tokens": len(text) // 4}}


def _handler(owner: Player) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text, ended = owner.reply(asked)
            made = _message(asked, text) if self.path.endswith("/messages") else _completion(text, ended)
            body = json.dumps(made).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
