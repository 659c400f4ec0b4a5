"""The shell: options anywhere, one envelope, exit codes, help, errors that say what to do; nothing else on stdout."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjutant import __version__, commands
from tests.conftest import CHECKOUT, Ran, adjutant, make_instance

OK_KEYS = ["ok", "command", "result", "next_actions"]
BAD_KEYS = ["ok", "command", "error", "fix", "next_actions"]
ERROR_KEYS = ["code", "message", "details"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_instance(tmp_path / "instance")
    return tmp_path / "instance"


def refused(ran: Ran, code: int, named: str, command: str) -> str:
    """The message of an error envelope, after a look at its shape."""
    envelope = ran.json
    assert ran.code == code and list(envelope) == BAD_KEYS and envelope["ok"] is False, ran
    assert list(envelope["error"]) == ERROR_KEYS and envelope["error"]["code"] == named, ran
    assert envelope["command"] == command and envelope["fix"] and "Traceback" not in ran.err, ran
    message: str = envelope["error"]["message"]
    return message


# -- finding the verb, the options, the instance -------------------------------------------------------------


def test_adjutant_alone_prints_the_tree_of_verbs() -> None:
    ran = adjutant(check=0)
    for row in commands.VERBS:
        assert any(line.split()[:1] == [row.verb] and len(line.split()) > 1 for line in ran.out.splitlines()), row.verb
    assert max(map(len, ran.out.splitlines())) <= 80
    verbs = adjutant("--json", check=0).json["result"]["verbs"]
    assert {entry["verb"] for entry in verbs} == {row.verb for row in commands.VERBS}


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "--root", "{root}", "version"),
        ("version", "--json", "--root", "{root}"),
        ("--root={root}", "version", "--json"),
        ("--json", "version", "--root={root}"),
    ],
)
def test_the_four_options_are_read_before_and_after_the_verb(root: Path, words: tuple[str, ...]) -> None:
    ran = adjutant(*(word.format(root=root) for word in words), check=0)
    assert list(ran.json) == OK_KEYS
    assert ran.json["command"] == "adjutant version"
    assert ran.json["result"] == {"version": __version__, "python": sys.version.split()[0], "root": str(root)}


def test_the_instance_is_root_then_environment_then_the_nearest_above(root: Path, tmp_path: Path) -> None:
    other, inner = tmp_path / "other", root / "a" / "b"
    make_instance(other)
    inner.mkdir(parents=True)

    def found(*words: str, cwd: Path = inner, **env: str) -> str:
        return adjutant("config", "path", *words, cwd=cwd, check=0, **env).out.strip()

    assert found() == f"{root}/adjutant.yaml"
    assert found(ADJ_DIR=str(other)) == f"{other}/adjutant.yaml"
    assert found("--root", str(root), ADJ_DIR=str(other)) == f"{root}/adjutant.yaml"
    assert found("--root", "../../../other") == f"{other}/adjutant.yaml"
    (tmp_path / "link").symlink_to(root)
    assert found(cwd=tmp_path / "link") == f"{root}/adjutant.yaml"


def test_no_instance_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for words, env in (((), {}), (("--root", "empty"), {}), ((), {"ADJ_DIR": "empty"}), (("--root", "nowhere"), {})):
        ran = adjutant("status", "--json", *words, cwd=tmp_path, **env)
        assert "adjutant.yaml" in refused(ran, 78, "instance.not_found", "adjutant status")
        assert "adjutant init" in ran.json["fix"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pulsee",), "did you mean `pulse`"),
        (("--wrong",), "unknown verb"),
        (("pulse", "--wrong"), "--wrong"),
        (("pulse", "extra"), "extra"),
        (("init",), "DIR"),
        (("config", "shwo"), "shwo"),
        (("config",), "show|path|check"),
        (("status", "--root"), "--root needs a folder"),
        (("pulse", "--ful"), "--ful"),
        (("",), "unknown verb"),
        (("kb", "qeury"), "qeury"),
        (("\udcff",), "unknown verb"),
    ],
)
def test_wrong_usage_is_one_line_what_to_do_and_exit_2(root: Path, words: tuple[str, ...], said: str) -> None:
    ran = adjutant(*words, cwd=root)
    assert ran.code == 2 and not ran.out and said in ran.err and len(ran.err.splitlines()) == 2, ran
    ran = adjutant(*words, "--json", cwd=root)
    assert ran.code == 2 and list(ran.json) == BAD_KEYS and ran.json["error"]["code"] == "usage", ran


@pytest.mark.parametrize("row", commands.VERBS, ids=lambda row: row.verb)
def test_every_verb_explains_itself_even_without_an_instance(row: commands.Verb) -> None:
    for option in ("--help", "-h"):
        ran = adjutant(row.verb, option, check=0)
        assert ran.out.startswith(f"usage: adjutant {row.verb}")
        assert "--json" in ran.out
        assert not ran.err
        assert max(map(len, ran.out.splitlines())) <= 80


# -- what is printed -----------------------------------------------------------------------------------------


def test_quiet_prints_nothing_and_its_exit_code_stays(root: Path) -> None:
    assert adjutant("config", "check", "--quiet", cwd=root, check=0).out == ""
    (root / "adjutant.yaml").write_text("notifcations: {}\n")
    ran = adjutant("config", "check", "--quiet", cwd=root)
    assert ran.code == 78
    assert not ran.out


def test_text_survives_a_terminal_that_knows_only_ascii(root: Path) -> None:
    for encoding in ("ascii", "latin-1"):
        ran = adjutant("pause", "på \U0001f6d1 ferie", cwd=root, check=0, PYTHONIOENCODING=encoding, LC_ALL="C")
        assert "Traceback" not in ran.err
        told = subprocess.run(
            [sys.executable, "-P", "-m", "adjutant", "status"],
            cwd=root,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert b"ferie" in told.stdout
        adjutant("resume", cwd=root, check=0)


def test_the_same_input_gives_the_same_bytes(root: Path) -> None:
    first, second = (adjutant("config", "show", "--json", cwd=root, check=0).out for _ in range(2))
    assert first == second
    assert first.endswith("}\n")
    assert first.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error(root: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "adjutant", "config", "show"],
        cwd=root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert (child.wait(30), child.stderr.read()) == (0, "")
    child.stderr.close()


PLANTED = "yaml jinja2 msgspec filelock requests pathspec snowballstemmer difflib"  # not what Python itself loads


@pytest.mark.parametrize("more", ["", ":", ":.", "."])
def test_nothing_is_imported_from_the_working_directory(root: Path, more: str) -> None:
    for name in PLANTED.split():
        (root / f"{name}.py").write_text(f"import os\nos.write(2, b'planted {name} ')\n")
    path = os.pathsep.join((more, os.environ["PYTHONPATH"])) if more else os.environ["PYTHONPATH"]
    for words in (["--version"], ["status"], ["pulse"], ["nonsense"]):
        done = subprocess.run(
            [sys.executable, "-m", "adjutant", *words],
            cwd=root,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "planted" not in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("words", "code"), [(["today", "--all", "--json"], 0), (["pulse"], 0), (["nonsense"], 2)])
def test_readers_that_go_away_change_no_exit_code(root: Path, words: list[str], code: int) -> None:
    (root / "knowledge_bases" / "shop").mkdir(parents=True)
    tasks = "".join(f"- [ ] Pay bill {n} of the bakery, due 2026-11-{1 + n % 19:02}\n" for n in range(2000))
    (root / "knowledge_bases" / "shop" / "tasks.md").write_text(tasks)
    (root / "knowledge_bases" / "registry.yaml").write_text("- name: shop\n  path: knowledge_bases/shop\n")
    command = [sys.executable, "-P", "-m", "adjutant", *words]
    child = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    child.stderr.close()
    assert child.wait(60) == code
    if words == ["pulse"]:
        assert (root / "state" / "last_heartbeat.json").exists(), "the work was done all the same"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_terminal_that_takes_no_more_is_74_or_said(root: Path, unbuffered: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "adjutant", "config", "show"],
            cwd=root,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 74
    assert "Exception ignored" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "No space" in done.stderr


# -- errors --------------------------------------------------------------------------------------------------


def test_a_wrong_configuration_is_78_with_file_line_and_fix(root: Path) -> None:
    (root / "adjutant.yaml").write_text("instance: {name: x}\nnotifcations: {max_per_day: 5}\n")
    message = refused(adjutant("status", "--json", cwd=root), 78, "config.invalid", "adjutant status")
    assert message.startswith("adjutant.yaml:2: unknown key `notifcations`; did you mean `notifications`?")
    envelope = adjutant("config", "check", "--json", cwd=root).json
    assert envelope["error"]["details"]["ok"] is False
    assert envelope["error"]["details"]["problems"] == [message]
    for verb in ("pause", "resume", "kill", "start"):
        assert adjutant(verb, "--json", cwd=root, check=0).json["ok"] is True


def test_a_fixed_clock_that_is_no_time_is_78(root: Path) -> None:
    ran = adjutant("status", "--json", cwd=root, ADJUTANT_NOW="yesterday")
    assert "ADJUTANT_NOW" in refused(ran, 78, "config.invalid", "adjutant status")


def test_a_bug_is_one_line_and_a_report_without_secrets(root: Path) -> None:
    """The bug is planted in the child alone: a stage whose work raises."""
    program = (
        "import sys\nfrom adjutant.stages import version\n"
        "def run(app, args): raise KeyError(app.secret('OPENAI_API_KEY'))\nversion.run = run\n"
        "from adjutant import commands\ncommands.ROWS['version'].instance = True\n"
        "from adjutant.cli import main\nraise SystemExit(main(['version', *sys.argv[1:]]))"
    )
    secret = "sk-canary-0123456789"
    for words in ((), ("--json",)):
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, *words],
            cwd=root,
            capture_output=True,
            text=True,
            env={**os.environ, "OPENAI_API_KEY": secret},
            check=False,
        )
        assert done.returncode == 70
        assert "Traceback" not in done.stdout + done.stderr
        assert "a bug in adjutant (KeyError); the report is state/crash/" in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "bug"
    reports = list((root / "state" / "crash").iterdir())
    assert len(reports) == 2
    for report in reports:
        text = report.read_text()
        assert "KeyError" in text
        assert "Traceback" in text
        assert secret not in text
        assert report.stat().st_mode & 0o077 == 0


def test_a_second_run_exits_75_at_once_and_the_first_is_not_disturbed(root: Path) -> None:
    program = (
        "import sys, time\nfrom adjutant.store.files import Files\nfrom adjutant.store.tree import Tree\n"
        "with Files(Tree(sys.argv[1])).lock('heartbeat', 0):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-P", "-c", program, str(root)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    began = time.monotonic()
    for verb in ("pulse", "escalation", "review", "reflect"):
        message = refused(adjutant(verb, "--json", cwd=root), 75, "lock.busy", f"adjutant {verb}")
        assert "another run holds the heartbeat lock" in message
    assert time.monotonic() - began < 20
    assert not (root / "state" / "actions.jsonl").exists()
    holder.kill()
    holder.communicate()
    assert adjutant("pulse", cwd=root, check=0)


def test_ctrl_c_exits_130_with_one_line(root: Path) -> None:
    program = (
        "import signal, sys\nfrom adjutant.stages import version\n"
        "def run(app, args):\n    print('begun', flush=True)\n    signal.pause()\nversion.run = run\n"
        "from adjutant.cli import main\nraise SystemExit(main(['version']))"
    )
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", program], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert len(err.splitlines()) == 1
    assert "interrupted" in err


# -- init ----------------------------------------------------------------------------------------------------


def test_init_makes_an_instance_that_is_right_and_overwrites_nothing(tmp_path: Path) -> None:
    target = tmp_path / "my home"
    target.mkdir()
    (target / ".gitignore").write_text("mine\n")
    ran = adjutant("init", str(target), "--json", check=0)
    assert ran.json["result"]["root"] == str(target)
    assert ".gitignore" not in ran.json["result"]["created"]
    assert (target / ".gitignore").read_text() == "mine\n"
    assert adjutant("config", "check", cwd=target, check=0)
    assert 'name: "my home"' in (target / "adjutant.yaml").read_text()
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert refused(adjutant("init", str(target), "--json"), 2, "usage", "adjutant init").endswith("already")
    assert before == {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}


def test_init_in_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    ran = adjutant("init", str(tmp_path / "new"), "--dry-run", "--json", check=0)
    assert "adjutant.yaml" in ran.json["result"]["created"]
    assert not (tmp_path / "new").exists()


def test_git_ignores_in_a_new_instance_what_is_private_and_keeps_what_tells_how_it_changed(tmp_path: Path) -> None:
    adjutant("init", str(tmp_path / "new"), check=0)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "new", check=True)

    def ignored(path: str) -> bool:
        return subprocess.run(["git", "check-ignore", "-q", path], cwd=tmp_path / "new", check=False).returncode == 0

    for path in (
        ".env",
        "state/actions.jsonl",
        "journal/2026-11-20.md",
        "insights/pending/a.md",
        "workspace/x",
        "PAUSED",
        "KILLED",
        "state/runs/r/00-brief.json",
    ):
        assert ignored(path), path
    for path in (
        "adjutant.yaml",
        "identity/heart.md",
        "identity/wisdom.md",
        "prompts/brief.md",
        "memory/notes/x.md",
        "knowledge_bases/registry.yaml",
        "skills/x/SKILL.md",
        "evolution/x.md",
        "state/behavior/x.json",
        "state/wisdom.jsonl",
        "state/evolution.jsonl",
    ):
        assert not ignored(path), path


@pytest.mark.parametrize("words", [["status"], ["--root", ".", "status"], ["init", "new"]])
def test_deleted_working_directory_is_named(words: list[str], tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    python = [sys.executable, "-P", "-m", "adjutant"]
    left = f"cd {there} && rmdir {there} && exec {shlex.join([*python, *words])}"
    environment = {"PYTHONPATH": str(CHECKOUT), "PATH": os.environ["PATH"]}
    ran = subprocess.run(["sh", "-c", left], capture_output=True, text=True, env=environment, check=False)
    assert (ran.returncode, ran.stderr) == (
        78,
        "adjutant: the working directory is gone\n  fix: cd to a folder that exists, and try again\n",
    )
