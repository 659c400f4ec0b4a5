"""One verb disturbed at every point of interest, each time on a fresh copy, and what must hold afterwards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.botapi import CHAT, TOKEN, BotApi
from tests.conftest import Ran
from tests.system.syscalls import Point, disturbed, each
from tests.system.world import JSONL, World, readable

LATER = "2026-11-20T09:05:00+00:00"
Prove = Callable[[World, BotApi], None]
Ended = Callable[[Point, Ran, World, BotApi], None]


def connect(world: World, api: BotApi) -> None:
    """Notices go to this server; no threads, so that calls can be counted."""
    world.settings(heartbeat__parallel=1, notifications__channel="telegram", messaging__telegram__api_base=api.url)
    world.secrets(TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_CHAT_ID=CHAT)


def sweep(
    world: World,
    tmp_path: Path,
    chosen: Sequence[Point],
    *words: str,
    fault: str,
    ended: Ended,
    prove: Prove,
) -> None:
    """Each point with `fault` in its place ("signal=SIGKILL:when={}"): `ended` looks at once, then the next run must
    be clean and keep every record, then `prove` looks."""

    def one(point: Point) -> None:
        folder = tmp_path / f"{point.name}-{point.number}"
        with BotApi() as api:
            copy = world.copy(folder)
            connect(copy, api)
            before = lines(copy)
            ran = disturbed(copy, *words, fault=f"{point.name}:{fault.format(point.number)}")
            after = lines(copy)
            assert kept(before, after) == [], "a record that stood there is gone"
            ended(point, ran, copy, api)
            again = copy.run(*words, "--json", now=LATER)
            assert again.code == 0 and again.json["ok"] and "Traceback" not in again.err, f"the next run: {again}"
            assert kept(after, lines(copy)) == [], "the next run lost a record"
            prove(copy, api)
            readable(copy)
        shutil.rmtree(folder)

    each(chosen, one)


def lines(world: World) -> dict[str, list[bytes]]:
    """The acknowledged records: whole lines."""
    found = {}
    for name in JSONL:
        path = world.root / "state" / f"{name}.jsonl"
        whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        found[name] = [line for line in whole if is_record(line)]
    return found


def is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def kept(before: dict[str, list[bytes]], after: dict[str, list[bytes]]) -> list[str]:
    """The logs that do not begin with what they held."""
    return [name for name, told in before.items() if after[name][: len(told)] != told]


def within_budget(world: World, api: BotApi) -> None:
    """Never more than the budget, never one key twice, the count no less than what left."""
    assert len(api.possible) <= 3
    texts = [message.body["text"] for message in api.possible]
    assert len(texts) == len(set(texts)), f"told twice: {texts}"
    assert world.count() >= len(api.possible)
    sent = [record["key"] for record in world.records("notices") if record["event"] == "sent"]
    assert len(sent) == len(set(sent))
    left = [str(path) for path in world.root.rglob("*.adj-tmp") if "runs" not in path.parts]
    assert left == [], "the next run sweeps what a crash left half-made"
