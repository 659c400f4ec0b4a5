"""The shell's manners: help in groups with examples, completion, colour, times, three questions, a message once."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adjutant import commands, completion, parsing, terminal
from adjutant.clock import Clock
from tests.conftest import Ran, adjutant, make_instance, need

NOW = "2026-11-23T08:00:00+00:00"
NOTES = "- [ ] Renew the boat insurance, due 2026-11-24\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_instance(tmp_path / "instance")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text(NOTES)
    adjutant("kb", "add", "home", str(tmp_path / "notes"), cwd=tmp_path / "instance", check=0)
    return tmp_path / "instance"


def run(root: Path, *words: str) -> Ran:
    return adjutant(*words, cwd=root, check=0, ADJUTANT_NOW=NOW)


def test_each_verb_stands_in_one_group() -> None:
    grouped = [name for names in commands.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(row.verb for row in commands.VERBS)


def test_help_names_the_groups() -> None:
    lines = adjutant(check=0).out.splitlines()
    assert [line[:-1] for line in lines if line.endswith(":")] == list(commands.GROUPS)


@pytest.mark.parametrize("words", ["kb", "kb add", "pulse"])
def test_help_ends_with_an_example(words: str) -> None:
    last = adjutant("help", *words.split(), check=0).out.rstrip().splitlines()[-1]
    assert last == f"example: {parsing.example_of(words)}"


def test_every_verb_and_subverb_ends_its_help_with_an_example_that_parses() -> None:
    names = {f"{each.verb} {each.sub}".strip() for each in completion.every_word()}
    lines = [line[6:] for several in parsing.read_usage().values() for line in several if line.startswith("    $ ")]
    assert len(lines) > 60 and {parsing.example_of(name) for name in names} >= {f"adjutant {line}" for line in lines}
    for name in names:
        line = parsing.example_of(name).removeprefix("adjutant ")
        words = [word for word in shlex.split(line.split("<")[0].split(">>")[0]) if word not in ("--dry-run", "--json")]
        row = commands.row_of(words)
        assert row is not None and line.startswith(name.split()[0]), line
        parsing.parse(row, words[1:])


def test_version_option_is_the_verb() -> None:
    assert adjutant("--version", check=0).out == adjutant("version", check=0).out


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[list[str]]]:
    """What a real bash offers for each of these command lines, whose last word is the one to complete."""
    script = tmp_path_factory.mktemp("bash") / "completion"
    script.write_text(adjutant("completion", "bash", check=0).out)

    def offered(*lines: Sequence[str]) -> list[list[str]]:
        asked = [
            f"COMP_WORDS=(adjutant {' '.join(map(shlex.quote, line))}) COMP_CWORD={len(line)}; _adjutant; "
            'echo "${COMPREPLY[@]}"'
            for line in lines
        ]
        program = "\n".join([f"set -u; . {script}", *asked])
        ran = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
        return [line.split() for line in ran.stdout.split("\n")[:-1]]

    return offered


def test_bash_completes_every_word_and_option(bash: Callable[..., list[list[str]]]) -> None:
    every = list(completion.every_word())
    lines = [[part for part in (each.verb, each.sub) if part] for each in every]
    for each, options in zip(every, bash(*([*line, "--"] for line in lines)), strict=True):
        assert options == each.options, each
    for each, words in zip(every, bash(*([*line, ""] for line in lines)), strict=True):
        assert words == (each.words or ([] if each.free else each.options)), each
    assert bash([""]) == [[row.verb for row in commands.VERBS]]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (["ba"], ["backup"]),
        (["kb", "a"], ["add"]),
        (["--root", "/x", "--json", "kb", "a"], ["add"]),
        (["kb", "--json", "a"], ["add"]),
        (["help", "sk"], ["skills"]),
        (["kb", "add", "notes", "/x", "--trust", ""], ["operator", "untrusted"]),
        (["notify", "x", "--kind", "m"], ["manual"]),
        (["notices", "mark", "x4us", "s"], ["snooze"]),
        (["--root", ""], []),
        (["restore", ""], []),
    ],
)
def test_bash_completes_what_fits_here(
    bash: Callable[..., list[list[str]]], line: list[str], offered: list[str]
) -> None:
    assert bash(line) == [offered]


@pytest.mark.program
def test_fish_and_zsh_take_the_scripts(tmp_path: Path) -> None:
    for shell, asked in (("fish", "complete -C 'adjutant kb add --trust '"), ("zsh", "print $_comps[adjutant]")):
        need(shell)
        script = tmp_path / shell
        script.write_text(adjutant("completion", shell, check=0).out)
        program = f"source {script}; {asked}"
        bare = ["--no-config"] if shell == "fish" else ["-f"]
        ran = subprocess.run([shell, *bare, "-c", program], capture_output=True, text=True, check=True)
        assert ran.stderr == ""
        assert ran.stdout.split()[-1] in ("untrusted", "_adjutant")


def test_man_names_every_subverb_and_option() -> None:
    page = adjutant("completion", "man", check=0).out.replace("\\-", "-")
    for each in completion.every_word():
        assert not each.sub or f"\\fB{each.sub}\\fR" in page
        assert all(f"[{option}]" in page for option in each.options if option not in completion.GLOBAL)


def test_fish_offers_subverbs() -> None:
    lines = adjutant("completion", "fish", check=0).out.splitlines()
    assert (
        "complete -c adjutant -n '__fish_seen_subcommand_from kb' -a add -d 'register a folder that exists, anywhere'"
        in lines
    )


@pytest.mark.program
def test_man_page_has_no_warnings(tmp_path: Path) -> None:
    need("man")
    page = tmp_path / "adjutant.1"
    page.write_text(adjutant("completion", "man", check=0).out)
    ran = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, check=True)
    assert ran.stderr == ""


def test_status_begins_with_what_is_open(root: Path) -> None:
    run(root, "pulse")
    assert run(root, "status").out.splitlines()[0] == "open: 1 today and tomorrow (today 08:00; `adjutant today`)"


def test_status_counts_for_scripts(root: Path) -> None:
    run(root, "pulse")
    found = json.loads(run(root, "status", "--json").out)["result"]["open"]
    assert found == {"written_at": "2026-11-23T08:00+00:00", "counts": {"Today and tomorrow": 1}}


def test_status_of_a_fresh_instance(root: Path) -> None:
    assert run(root, "status").out.startswith("open: not looked at yet; `adjutant pulse`\n")


def test_pulse_says_each_matter_once(root: Path) -> None:
    assert run(root, "pulse").out.count("Renew the boat insurance") == 1


def test_notice_says_the_day_once(root: Path) -> None:
    assert "Renew the boat insurance · tomorrow · house.md:1" in run(root, "pulse").out


@pytest.mark.parametrize(
    ("moment", "spoken"),
    [
        ("2026-11-23T09:00:00+00:00", "today 09:00"),
        ("2026-11-22T23:59:00+00:00", "yesterday 23:59"),
        ("2026-11-27T09:00:00+00:00", "Fri 09:00"),
        ("2026-12-01T03:30:00+00:00", "1 Dec 03:30"),
        ("2027-01-01T03:30:00+00:00", "1 Jan 2027 03:30"),
    ],
)
def test_times_as_people_write_them(moment: str, spoken: str) -> None:
    clock = Clock(lambda: 0.0, lambda: 0.0, UTC, datetime.fromisoformat(NOW))
    assert clock.speak(moment) == spoken


def test_init_takes_its_answers_as_options(tmp_path: Path) -> None:
    (tmp_path / "Haus & Hof").mkdir()
    made = tmp_path / "new"
    answers = ("--name", "Ruth Adler", "--matters", "the roof", "--folder", str(tmp_path / "Haus & Hof"))
    adjutant("init", str(made), *answers, cwd=tmp_path, check=0)
    assert (made / "identity" / "user.md").read_text().endswith("- Name: Ruth Adler\n")
    assert "## Current Priorities\n\n- the roof\n" in (made / "identity" / "heart.md").read_text()
    assert "- name: haus---hof\n" in (made / "knowledge_bases" / "registry.yaml").read_text()


def test_init_refuses_a_missing_folder(tmp_path: Path) -> None:
    ran = adjutant("init", str(tmp_path / "new"), "--folder", str(tmp_path / "none"), cwd=tmp_path, check=1)
    assert "is not a folder" in ran.err
    assert not (tmp_path / "new").exists()


def test_fresh_layers_state_no_facts(tmp_path: Path) -> None:
    adjutant("init", str(tmp_path / "new"), cwd=tmp_path, check=0)
    page = (tmp_path / "new" / "identity" / "user.md").read_text()
    assert page.split("-->")[1].strip() == "# User"


class Terminal:
    """A stdout that says it is a terminal of 80 columns."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("      high  the roof", "      \x1b[31mhigh\x1b[0m  the roof"),
        ("Late:", "\x1b[1m\x1b[31mLate:\x1b[0m"),
        ("This week:", "\x1b[1mThis week:\x1b[0m"),
        ("Set-up:", "\x1b[1mSet-up:\x1b[0m"),
        ("- a b:", "- a b:"),
        ("high water in the cellar", "high water in the cellar"),
        ("  ok  \x1b[2Jgone", "  \x1b[32mok\x1b[0m  \\u001b[2Jgone"),
    ],
)
def test_labels_are_coloured(line: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Terminal()
    monkeypatch.setattr("sys.stdout", there)
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((80, 24)))
    terminal.show(line, colour=True)
    assert there.text == f"{shown}\n"


def test_no_colour_where_unwanted(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjutant import place

    monkeypatch.setenv("NO_COLOR", "1")
    assert place.colour() is False


def test_a_warning_is_said_once(root: Path) -> None:
    torn = root / "insights" / "pending" / "2026-11-20-0900.md"
    torn.parent.mkdir(parents=True, exist_ok=True)
    torn.write_bytes(b"\xff\xfe")
    assert run(root, "pulse").err.count("not UTF-8") == 1


def test_a_long_list_is_cut_on_the_terminal(root: Path) -> None:
    pending = root / "insights" / "pending"
    pending.mkdir(parents=True, exist_ok=True)
    for number in range(30):
        page = f"---\nkb: home\ntitle: Thing {number}\nseverity: low\nfingerprint: f{number}\n---\n# Thing {number}\n"
        (pending / f"2026-11-20-{number:04}.md").write_text(page)
    lines = run(root, "escalation").out.splitlines()
    assert lines[-1].strip() == "and 10 more: `adjutant ledger --type escalation`"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pulse --jsn", "adjutant: pulse: unknown option `--jsn`; did you mean `--json`?"),
        ("behavior add --typ keep", "adjutant: behavior: unknown option `--typ`; did you mean `--type`?"),
        ("memory fogret x", "adjutant: memory: unknown `fogret`; did you mean `forget`?"),
        ("completion tcsh", "adjutant: completion: unknown `tcsh`; known are bash, zsh, fish, man"),
        ("kb add", "adjutant: kb add: missing: NAME, PATH"),
        ("memory save x --type", "adjutant: memory save: --type needs a value"),
        ("evolve --hours abc", "adjutant: evolve: --hours: `abc` is no number"),
        ("today now", "adjutant: today: one word too many: `now`"),
    ],
)
def test_a_typo_is_answered_with_the_word_meant(root: Path, words: str, told: str) -> None:
    assert adjutant(*words.split(), cwd=root, check=2).err.splitlines()[0] == told


def test_a_terminal_of_no_told_width_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    inner, outer = os.openpty()  # of 0 columns until somebody says how many
    with open(outer, "w") as screen:
        monkeypatch.setattr("sys.stdout", screen)
        assert terminal.width() == terminal.UNTOLD
    os.close(inner)


@pytest.mark.parametrize(("words", "verb"), [(("notify", ""), "notify"), (("ask", "hi", "--session", "a b"), "ask")])
def test_a_bad_value_points_to_its_verbs_help(root: Path, words: tuple[str, ...], verb: str) -> None:
    ran = adjutant(*words, cwd=root, check=2)
    assert ran.err.rstrip().endswith(f"see `adjutant {verb} --help`")


@pytest.mark.parametrize(
    "words", ["runs show zzz", "job show zzz", "why zzz", "mark zzz done", "memory show zzz", "behavior why zzz"]
)
def test_an_unknown_id_exits_one(root: Path, words: str) -> None:
    assert adjutant(*words.split(), cwd=root).code == 1


def test_pulse_counts_what_today_lists(root: Path) -> None:
    (root.parent / "notes" / "later.md").write_text("Sell the boat by 1 March 2027.\n- [ ] Paint the hull\n")
    told = json.loads(run(root, "today", "--all", "--json").out)["result"]["open"]
    assert f"{told} open" in run(root, "pulse").out


def test_mail_registers_a_mailbox(root: Path) -> None:
    (root.parent / "post" / "cur").mkdir(parents=True)
    (root.parent / "post" / "cur" / "1.host:2,S").write_text("From: a@example.com\nSubject: Hi\n\nHello.\n")
    made = json.loads(run(root, "mail", "post", str(root.parent / "post"), "--json").out)
    assert made["command"] == "adjutant mail"
    assert "kind: mail" in (root / "knowledge_bases" / "registry.yaml").read_text()
