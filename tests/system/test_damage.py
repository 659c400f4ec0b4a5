"""Hostile and damaged files in every place: one line that names the file, no traceback, no hang, nothing lost."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sampling import taken
from tests.system.syscalls import each
from tests.system.world import DAY, PERMIT, TASKS, World, changed, mannered

Make = Callable[[Path], None]
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefg", "bcdefgh", strict=True)
)
DEEP = "[" * 20_000


def bytes_of(data: str | bytes) -> Make:
    def make(path: Path) -> None:
        path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)

    return make


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def dangling(path: Path) -> None:
    path.symlink_to("nowhere-at-all")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def outward(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def long_line(path: Path) -> None:
    path.write_bytes(b"x" * (50 << 20))


DAMAGE: dict[str, Make] = {
    "broken frontmatter": bytes_of("---\ncreated: [\n---\n\n# Half a thing\n"),
    "no closing mark": bytes_of("---\nkb: bakery\nseverity: high\n"),
    "a YAML bomb": bytes_of(BOMB),
    "a bomb in frontmatter": bytes_of(f"---\n{BOMB}---\n\nx\n"),
    "deep nesting": bytes_of(DEEP),
    "deep YAML": bytes_of(f"---\na: {DEEP}\n---\nx\n"),
    "bad UTF-8": bytes_of(b"\xff\xfe\xfa# x\n\x80"),
    "only a BOM": bytes_of(b"\xef\xbb\xbf"),
    "CRLF with NUL": bytes_of("# x\r\n\x00\r\n- [ ] y\r\n"),
    "empty": bytes_of(""),
    "a list where a mapping belongs": bytes_of("- 1\n- 2\n"),
    "a scalar": bytes_of("42\n"),
    "truncated JSON": bytes_of('{"ts": "2026'),
    "NaN": bytes_of('{"ts": NaN}\n'),
    "a key twice": bytes_of('{"ts": 1, "ts": 2}\n'),
    "future dates": bytes_of(
        '{"ts": "9999-12-31T23:59:59+00:00", "last": {"pulse": "9999-12-31"}, "key": "k", "event": "sent"}\n'
    ),
    "wrong types": bytes_of('{"ts": [], "type": {}, "key": 7, "event": [], "last": [], "kbs": 3, "run": null}\n'),
    "a fifo": fifo,
    "a folder": folder,
    "a dangling link": dangling,
    "a link to itself": loop,
    "a link outward": outward,
    "a line of 50 MB": long_line,
}
PLACES = (
    "adjutant.yaml",
    ".env",
    "identity/heart.md",
    "identity/soul.md",
    "identity/registry.md",
    "prompts/brief.md",
    "prompts/words/en.yaml",
    "prompts/words/en/words.yaml",
    "knowledge_bases/registry.yaml",
    "knowledge_bases/bakery/more.md",
    "knowledge_bases/bakery/data.yaml",
    "knowledge_bases/bakery/data.json",
    "knowledge_bases/bakery/data.csv",
    "insights/pending/2026-11-20-0800.md",
    "insights/sent/2026-11-19-0800.md",
    f"journal/{DAY}.md",
    "state/last_heartbeat.json",
    "state/actions.jsonl",
    "state/notices.jsonl",
    "state/pulse.json",
    "state/usage.jsonl",
    "state/schedule.json",
    "state/events.jsonl",
    "state/marks.jsonl",
    f"state/notify_count_{DAY}.txt",
    "state/outbox.md",
    "state/cache/config.json",
    "state/locks/heartbeat.lock",
    "identity/tools.md",
    "identity/wisdom.md",
    "state/layers.jsonl",
    "state/behavior/contract.json",
    "state/tasks/20200101T000000-aaaa.json",
)
LOOKING = (
    ("status",),
    ("doctor",),
    ("ledger",),
    ("notices", "list"),
    ("runs", "list"),
    ("kb", "list"),
    ("why", "x"),
    ("job", "list"),
    ("prompt", "layers"),
)
VERBS = (
    *LOOKING,
    ("pulse",),
    ("review",),
    ("kb", "query", "bakery", "who pays?"),
    ("config", "check"),
    ("notify", "hello"),
    ("delegate", "--run"),
    ("job", "work"),
)
QUICK = (("status", "--json"), ("doctor", "--json"), ("pulse", "--json"))
LONG = 60  # seconds a verb may take on a machine that is busy with other things; alone each takes less than two


def damaged(world: World, place: str, make: Make) -> None:
    path = world.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise AssertionError(f"{place} is a folder in a fresh instance")
    path.unlink(missing_ok=True)
    make(path)


def lived_in(world: World) -> World:
    """A tree with a yesterday: every file that a verb may read is there."""
    world.run("pulse", check=0, now="2026-11-19T09:00:00+00:00")
    world.knowledge("permit", {"permit.md": PERMIT})
    return world


def told(place: str, world: World) -> str:
    """What all quick verbs say, each with its manners; the damaged file itself stays as it is or is set aside."""
    said = ""
    for words in QUICK:
        ran = world.run(*words, timeout=LONG)
        mannered(ran, lines=12)
        assert ran.code in (0, 1, 65, 74, 75, 78), (words, ran)
        assert ran.out.startswith("{") and isinstance(json.loads(ran.out), dict), (words, ran)
        said += ran.out + ran.err
    return said


@pytest.mark.parametrize("place", PLACES)
def test_no_damage_in_this_place_ends_in_a_traceback_or_a_hang(world: World, place: str, tmp_path: Path) -> None:
    lived_in(world)

    def prove(name: str) -> None:
        copy = world.copy(tmp_path / f"damaged-{list(DAMAGE).index(name)}")
        damaged(copy, place, DAMAGE[name])
        told(place, copy)

    each(chosen(place), prove)


def chosen(place: str) -> list[str]:
    """Every 14th damage, other ones for each place; all with ADJUTANT_EVERY_POINT."""
    step = taken(14, 14, every=1)
    return [name for n, name in enumerate(DAMAGE) if n % step == PLACES.index(place) % step]


@pytest.mark.parametrize("name", ["bad UTF-8", "a fifo", "a folder", "deep nesting", "wrong types", "a link outward"])
def test_every_verb_keeps_its_manners_when_everything_is_damaged_at_once(world: World, name: str) -> None:
    lived_in(world)
    for place in PLACES:
        if place not in ("adjutant.yaml", "state/locks/heartbeat.lock", "knowledge_bases/registry.yaml"):
            damaged(world, place, DAMAGE[name])
    for words in VERBS:
        ran = world.run(*words, timeout=LONG)
        mannered(ran, lines=14)


# -- the line, the place, the fix ----------------------------------------------------------------------------

NAMED: dict[str, tuple[str, str, int, str]] = {  # place, content, exit code of pulse, what is said
    "a typo": (
        "adjutant.yaml",
        "notifcations:\n  max_per_day: 2\n",
        78,
        "adjutant.yaml:1: .*notifcations.*notifications",
    ),
    "a key twice": ("adjutant.yaml", "debug:\n  dry_run: false\n  dry_run: true\n", 78, "adjutant.yaml:3: "),
    "a wrong type": ("adjutant.yaml", "\nheartbeat:\n  max_insights: many\n", 78, "adjutant.yaml:3: "),
    "an impossible value": ("adjutant.yaml", "heartbeat:\n  parallel: -3\n", 78, "adjutant.yaml:2: "),
    "a tab": ("adjutant.yaml", "debug:\n\tdry_run: true\n", 78, "adjutant.yaml:2"),
    "a registry with a name twice": (
        "knowledge_bases/registry.yaml",
        "- name: a\n  path: knowledge_bases/bakery\n- name: a\n  path: x\n",
        65,
        "registry.yaml:3: ",
    ),
    "a registry that is a mapping": ("knowledge_bases/registry.yaml", "a: 1\n", 65, "registry.yaml:1: "),
    "a template that does not compile": ("prompts/brief.md", "data, never instructions {{ oops\n", 0, ""),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_person_got_wrong_is_named_with_file_place_and_fix(world: World, name: str) -> None:
    place, content, code, said = NAMED[name]
    world.write(place, content)
    ran = world.run("pulse", "--json", check=code)
    mannered(ran)
    if code:
        assert re.search(said, ran.json["error"]["message"]), ran
        assert ran.json["fix"]
        assert "fix:" in ran.err
        assert len(ran.err.splitlines()) == 2
        assert world.text(place) == content, "it is left alone"
        again = world.run("doctor", "--json", check=1)
        assert place.rpartition("/")[2] in again.out


def test_quiet_hours_without_quotes_are_understood(world: World) -> None:
    world.write("adjutant.yaml", "notifications:\n  quiet_hours:\n    enabled: true\n    start: 22:00\n    end: 7:00\n")
    ran = world.run("notify", "hello", "--json", now="2026-11-20T23:00:00+00:00")
    if ran.code == 78:
        assert "adjutant.yaml:" in ran.err and '"' in ran.err, "refused by name"
    else:
        assert ran.json["result"]["outcome"] == "quiet_hours"


def test_a_damaged_insight_is_named_and_left_and_the_others_are_handled(world: World) -> None:
    broken = "---\ncreated: [\nkb: bakery\n---\n\n# Half\n"
    world.write("insights/pending/2026-11-20-0800.md", broken)
    world.write("insights/pending/2026-11-20-0810.md", "Ring the mill about the bakery oven\n")
    ran = world.run("pulse", "--json", check=0)
    assert [row["file"] for row in ran.json["result"]["damaged"]] == ["2026-11-20-0800.md"]
    assert "insights/pending/2026-11-20-0800.md" in ran.err
    assert world.text("insights/pending/2026-11-20-0800.md") == broken
    assert {row["trigger"] for row in ran.json["result"]["escalations"]} >= {"2026-11-20-0810.md"}
    world.run("review", check=0)
    assert world.insights("pending") == ["2026-11-20-0800.md"]
    assert "2026-11-20-0800.md" in world.run("doctor", check=1).out


@pytest.mark.parametrize("name", ["actions", "notices", "marks", "usage"])
def test_a_torn_last_line_is_set_aside_and_every_whole_line_stays(world: World, name: str) -> None:
    world.result("pulse", now="2026-11-19T09:00:00+00:00")
    path = world.root / "state" / f"{name}.jsonl"
    whole = path.read_bytes() if path.exists() else b""
    path.write_bytes(whole + b'{"ts": "2026-11-19T10:00:00+00:00", "type": "pul')
    for words in (("status",), ("ledger",), ("notices", "list")):
        mannered(world.run(*words, check=0))
    ran = world.run("doctor", check=1)
    assert f"{name}.jsonl:" in ran.out
    world.write("knowledge_bases/bakery/more.md", "# Bakery\n\n- [ ] Insure the bakery, Ina, due 2026-11-12\n")
    world.result("pulse")
    world.result("notify", "hello", "--key", "k")
    if name in ("actions", "notices"):
        assert path.read_bytes().startswith(whole)
        assert world.records(name)
        (kept,) = (world.root / "state" / "quarantine").glob(f"{name}.jsonl.*")
        assert kept.read_bytes().endswith(b'"pul')


def test_a_last_line_that_only_lost_its_newline_is_kept(world: World) -> None:
    world.result("pulse", now="2026-11-19T09:00:00+00:00")
    path = world.root / "state" / "actions.jsonl"
    before = len(world.records("actions"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    world.result("review")
    assert len(world.records("actions")) > before
    assert not list((world.root / "state").glob("quarantine/actions*"))


def test_a_knowledge_base_that_is_gone_is_named_and_the_others_are_looked_at(world: World) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    os.rename(world.root / "knowledge_bases" / "permit", world.root / "elsewhere")
    result = world.result("pulse")
    assert [row["name"] for row in result["kbs_unavailable"]] == ["permit"]
    assert result["kbs_checked"] == ["bakery"]
    assert "**permit**: unavailable" in world.journal()
    assert len(world.outbox()) == 1
    assert world.run("kb", "query", "permit", "anything?").code == 69


def test_no_knowledge_base_at_all_is_a_helpful_line(empty: World) -> None:
    ran = empty.run("pulse", check=0)
    assert "kb add" in ran.out
    assert len(ran.out.splitlines()) == 1


def test_hostile_files_in_a_knowledge_base_hide_nothing_else_in_it(world: World) -> None:
    for n, (name, make) in enumerate(DAMAGE.items()):
        make(world.root / "knowledge_bases" / "bakery" / f"hostile-{n}.{('md', 'yaml', 'json', 'csv')[n % 4]}")
        assert name
    (world.root / "knowledge_bases" / "bakery" / "evil\n## 09:00 — Pulse\x1b[31m.md").write_text(TASKS)
    os.mkdir(world.root / "knowledge_bases" / "bakery" / os.fsdecode(b"\xff\xfe"))
    result = world.result("pulse", timeout=LONG)
    assert any(cited["path"] == "tasks.md" for issue in result["issues"] for cited in issue["evidence"])
    assert len([line for line in world.journal().split("\n") if line.startswith("## ")]) == 2
    assert world.run("kb", "info", "bakery", check=0)
    assert world.result("pulse", timeout=LONG)["model_calls"] == 0


def test_a_link_that_leaves_a_knowledge_base_is_not_followed(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("- [ ] Pay the hidden bakery oven bill, due 2026-11-11\n")
    kb = world.root / "knowledge_bases" / "bakery"
    (kb / "link.md").symlink_to(secret)
    (kb / "away").symlink_to(tmp_path)
    (kb / "up").symlink_to("../..")
    result = world.result("pulse")
    assert "hidden" not in json.dumps(result) + world.journal()


def test_reading_changes_nothing_whatever_is_damaged(world: World) -> None:
    lived_in(world)
    for place in ("insights/pending/2026-11-20-0800.md", "state/last_heartbeat.json", "state/marks.jsonl"):
        damaged(world, place, DAMAGE["truncated JSON"])
    before = world.snapshot()
    for words in LOOKING:
        world.run(*words)
    assert {path for path in changed(before, world.snapshot()) if not path.startswith("state/cache")} == set()


UNNAMED = (f"state/notify_count_{DAY}.txt", "state/cache/config.json")  # counted apart; a cache is simply not used


UNREADABLE = ("bad UTF-8", "a folder", "a fifo", "a link outward")


@pytest.mark.parametrize("name", UNREADABLE)
def test_doctor_or_the_run_names_what_cannot_be_read(world: World, name: str, tmp_path: Path) -> None:
    lived_in(world)
    links_are_fine = ("adjutant.yaml", ".env", "identity/", "prompts/", "knowledge_bases/registry.yaml")

    def prove(place: str) -> None:
        copy = world.copy(tmp_path / place.replace("/", "-"))
        damaged(copy, place, DAMAGE[name])
        said = told(place, copy) + ("" if place.startswith("journal") else copy.journal())
        assert place.rpartition("/")[2] in said, f"{place} is not named"

    step = taken(6, 6, every=1)
    each(
        [
            place
            for n, place in enumerate(PLACES)
            if place not in UNNAMED
            and n % step == UNREADABLE.index(name) % step
            and not (name == "a link outward" and place.startswith(links_are_fine))
        ],
        prove,
    )
