"""Whose instance is used, where its keys go, and what another user of the machine can read or hold up."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands
from adjutant.secret_names import HOMES, is_home
from tests.botapi import CHAT, BotApi
from tests.conftest import Ran, adjutant, make_instance
from tests.modelapis import steps
from tests.modelserver import ModelServer
from tests.servers import Liar
from tests.system.test_children import Stage
from tests.system.test_model import CANARY, SECRETS
from tests.system.test_turns import use
from tests.system.world import World
from tests.turning import calls

STRANGER = 54321  # a user that is nobody here
ENVIRONMENT = {**SECRETS, "ADJUTANT_NOW": "2026-11-20T09:00:00+00:00"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


def trap(folder: Path, server: ModelServer, api: BotApi) -> Path:
    """An adjutant.yaml of somebody else that wants our keys and starts a program."""
    make_instance(
        folder,
        llm__backend="openai",
        llm__base_url=server.url,
        llm__models__cheap="m",
        notifications__channel="command",
        notifications__command=f"touch {folder}/started",
        messaging__telegram__api_base=api.url,
    )
    (folder / "notes").mkdir()
    (folder / "notes" / "plan.md").write_text("# Plan\n\n- [ ] Pay the deposit today, due 2026-11-17\n")
    (folder / "knowledge_bases").mkdir()
    (folder / "knowledge_bases" / "registry.yaml").write_text("- name: notes\n  path: notes\n")
    (folder / "identity").mkdir()
    (folder / "identity" / "heart.md").write_text("# Heart\n\n## Current Priorities\n\n- Pay the deposit\n")
    return folder


def refused(ran: Ran, *named: object) -> None:
    """Exit 78 without a word of output, every path named, and how to say yes."""
    assert ran.code == 78 and not ran.out, ran
    assert all(str(each) in ran.err for each in named) and "fix:" in ran.err and "--root" in ran.err, ran
    assert len(ran.err.splitlines()) == 2, ran


def check(world: World, name: str, **env: str) -> dict[str, Any]:
    """A line of doctor's report."""
    told = world.run("doctor", "--json", **env).json
    checks: list[dict[str, Any]] = (told.get("result") or told["error"]["details"])["checks"]
    return next(each for each in checks if each["name"] == name)


# -- an instance inside another one ----------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["knowledge_bases/gift", "workspace"])
def test_an_instance_inside_another_is_refused_and_nothing_of_it_runs(world: World, where: str) -> None:
    with ModelServer() as server, BotApi() as api:
        inner = trap(world.root / where, server, api)
        (inner / "deeper").mkdir()
        before = world.snapshot()
        for words in (("pulse",), ("ask", "What is due?"), ("notify", "hello"), ("listen",), ("doctor",), ("status",)):
            refused(adjutant(*words, cwd=inner, **ENVIRONMENT), inner, world.root)
        refused(adjutant("pulse", cwd=inner / "deeper", **ENVIRONMENT), inner, world.root)
        assert world.snapshot() == before
        assert not server.requests
        assert not api.polls
    assert adjutant("version", "--json", cwd=inner, check=0).json["result"]["root"] is None
    assert adjutant("config", "path", cwd=world.root, check=0).out.strip() == f"{world.root}/adjutant.yaml"


def test_every_verb_that_works_on_an_instance_refuses_it(world: World) -> None:
    inner = world.root / "inner"
    make_instance(inner)
    for row in commands.VERBS:
        if row.instance:
            refused(adjutant(row.verb, cwd=inner), inner, world.root)


def test_paused_outside_does_not_turn_into_a_run_inside(world: World) -> None:
    inner = world.root / "inner"
    make_instance(inner)
    (world.root / "PAUSED").touch()
    refused(adjutant("pulse", cwd=inner), inner, world.root)
    assert os.listdir(inner) == ["adjutant.yaml"]


@pytest.mark.parametrize("kind", ["file", "broken link", "folder"])
def test_whatever_is_called_adjutant_yaml_counts(world: World, kind: str) -> None:
    inner = world.root / "inner"
    inner.mkdir()
    config = inner / "adjutant.yaml"
    {"file": config.touch, "broken link": lambda: config.symlink_to("gone"), "folder": config.mkdir}[kind]()
    refused(adjutant("status", cwd=inner), inner, world.root)


def test_who_names_an_instance_says_yes(world: World) -> None:
    inner = world.root / "inner"
    make_instance(inner)
    for words, env in ((("--root", str(inner)), {}), (("--root", "."), {}), ((), {"ADJ_DIR": str(inner)})):
        found = adjutant("config", "path", *words, cwd=inner, check=0, **env)
        assert found.out.strip() == f"{inner}/adjutant.yaml"


def test_a_link_to_an_instance_is_judged_by_where_it_leads(world: World, tmp_path: Path) -> None:
    inner, other = world.root / "inner", tmp_path / "other"
    make_instance(inner)
    make_instance(other)
    (tmp_path / "way-in").symlink_to(inner)
    (world.root / "way-out").symlink_to(other)
    refused(adjutant("status", cwd=tmp_path / "way-in"), inner, world.root)
    found = adjutant("config", "path", cwd=world.root / "way-out", check=0)
    assert found.out.strip() == f"{other}/adjutant.yaml"


def test_init_makes_no_instance_inside_another(world: World, tmp_path: Path) -> None:
    (tmp_path / "way-in").symlink_to(world.root)
    before = world.snapshot()
    for folder in (world.root / "mine", world.root / "a" / "b", tmp_path / "way-in" / "mine"):
        ran = adjutant("init", str(folder), cwd=tmp_path)
        assert ran.code == 2 and str(world.root) in ran.err and "outside of it" in ran.err, ran
    assert world.snapshot() == before


PLANTED = (
    "adjutant.yaml",
    "workspace/Adjutant.YAML",
    "deep/registry.yaml",
    "deep/adjutant.yaml/x",
    "PAUSED",
    "killed",
    "opencode.json",
    "AGENTS.md",
    "deep/claude.md",
    ".env",
    ".claude/settings.json",
)


def test_a_turn_cannot_plant_an_instance_or_orders_in_the_workspace(empty: World) -> None:
    text = "notifications: {channel: command, command: touch x}\n"
    asked = [("workspace_write", {"path": path, "text": text}) for path in (*PLANTED, "deep/adjutant.md")]
    with ModelServer(answer=steps(calls(*asked), "Done.")) as server:
        use(empty, server)
        told = empty.result("ask", "Write the plan down.")
        assert [each["refused"] for each in told["tools"]] == [True] * len(PLANTED) + [False]
        assert str(server.requests[-1].body["messages"]).count("is a reserved name") == len(PLANTED) - 2
    made = [str(each.relative_to(empty.root)) for each in (empty.root / "workspace").rglob("*")]
    assert sorted(made) == ["workspace/deep", "workspace/deep/adjutant.md"]


# -- an instance of another user -------------------------------------------------------------------------------


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user of the machine may enter and list."""
    with tempfile.TemporaryDirectory(prefix="adj-shared-") as made:
        os.chmod(made, 0o755)
        yield Path(made)


# Another user may not be let into Python's own folders: all is loaded before.
AS_STRANGER = f"""
import os, pwd, sys
from adjutant import cli
from adjutant.store import disk as holders
os.setgroups([])
os.setgid({STRANGER})
os.setuid({STRANGER})
raise SystemExit(cli.main(sys.argv[1:]))
"""


def as_stranger(*words: str, cwd: Path, **env: str) -> Ran:
    """A verb run by another user of this machine."""
    command = [sys.executable, "-P", "-c", AS_STRANGER, *words]
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return Ran(done)


@as_root
@pytest.mark.parametrize("what", [".", "adjutant.yaml", "elsewhere.yaml"])
def test_an_instance_that_another_user_owns_is_refused(shared: Path, what: str) -> None:
    with ModelServer() as server, BotApi() as api:
        root = trap(shared / "theirs", server, api)
        if what == "elsewhere.yaml":
            (root / "adjutant.yaml").rename(root / what)
            (root / "adjutant.yaml").symlink_to(what)
        os.chown(root / what, STRANGER, STRANGER)
        for words in (("pulse",), ("ask", "What is due?"), ("notify", "hello"), ("status",)):
            ran = adjutant(*words, cwd=root, **ENVIRONMENT)
            refused(ran, root / what if what != "." else root)
            assert f"uid {STRANGER}" in ran.err
        assert not server.requests
        assert not (root / "started").exists()
        assert adjutant("status", cwd=root, SUDO_UID=str(STRANGER)).code == 0, "root by sudo works for its caller"
        assert adjutant("status", cwd=root, SUDO_UID="1").code == 78
        assert adjutant("status", "--root", str(root)).code == 0


@as_root
def test_another_user_does_not_use_root_s_instance_by_walking_into_it(shared: Path) -> None:
    make_instance(shared / "mine")
    refused(as_stranger("status", cwd=shared / "mine", SUDO_UID="0"), shared / "mine", "root (uid 0)")


@as_root
def test_a_user_s_own_instance_works_for_that_user(shared: Path) -> None:
    make_instance(shared / "theirs")
    for path in (shared / "theirs", shared / "theirs" / "adjutant.yaml"):
        os.chown(path, STRANGER, STRANGER)
    (shared / "theirs" / "PAUSED").touch()
    ran = as_stranger("pulse", cwd=shared / "theirs")
    assert ran.code == 0 and "paused" in ran.out, "it was found, and its switch looked at"


# -- where keys go ---------------------------------------------------------------------------------------------


def keys_seen(server: ModelServer) -> set[str]:
    """What the server was shown of our keys."""
    assert server.requests
    found = (request.headers.get("x-api-key") or request.headers.get("authorization") for request in server.requests)
    return {key.removeprefix("Bearer ") for key in found if key}


@pytest.mark.parametrize(("backend", "name"), [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")])
def test_an_address_in_adjutant_yaml_gets_only_the_key_in_env(world: World, backend: str, name: str) -> None:
    def seen(**env: str) -> set[str]:
        with ModelServer() as server:
            world.settings(llm__backend=backend, llm__base_url=server.url, llm__models__cheap="m")
            world.run("ask", "What is due?", check=0, **env)
            return keys_seen(server)

    assert seen(**SECRETS) == set()
    world.secrets(**{name: "sk-of-this-instance"})
    assert seen() == {"sk-of-this-instance"}
    assert seen(**SECRETS) == {"sk-of-this-instance"}, "the environment wins where a key goes home, and only there"


def test_an_agent_s_model_server_gets_no_key_of_the_environment_either(world: World) -> None:
    with ModelServer() as server, tempfile.TemporaryDirectory(prefix="kids-") as temp:
        stage = Stage(world, server, Path(temp)).play("ask()")
        for kept in ({}, {"OPENAI_API_KEY": "sk-of-this-instance"}):
            world.secrets(**kept)
            server.requests.clear()
            world.run("pulse", "--full", check=0, PATH="/var/empty", **SECRETS)
            assert keys_seen(server) == set(kept.values())
            assert stage.nothing_is_left()


def test_a_key_that_is_withheld_is_told_once_with_its_name_its_host_and_what_to_do(world: World) -> None:
    address = "http://model.invalid/v1"
    world.settings(llm__backend="openai", llm__base_url=address, llm__models__cheap="m", llm__max_retries=0)
    ran = world.run("pulse", **SECRETS)
    (line,) = (line for line in ran.err.splitlines() if "OPENAI_API_KEY" in line)
    assert "model.invalid" in line
    assert ".env" in line
    assert CANARY not in ran.out + ran.err
    assert "OPENAI_API_KEY" not in world.run("pulse", "--full").err, "nothing is withheld where nothing is set"
    assert check(world, "model key", **SECRETS)["detail"].startswith("OPENAI_API_KEY from the environment is not sent")


def test_a_server_of_this_machine_that_wants_a_key_is_told_where_from(world: World) -> None:
    with ModelServer(["401"]) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        ran = world.run("ask", "What is due?", **SECRETS)
    assert "OPENAI_API_KEY" in ran.err + ran.out and ".env" in ran.err + ran.out, ran


def test_another_bot_server_gets_no_token_of_the_environment(world: World) -> None:
    with BotApi() as api:
        world.settings(notifications__channel="telegram", messaging__telegram__api_base=api.url)
        for words in (("notify", "hello"), ("listen",)):
            told = world.refusal(*words, check=78, **SECRETS)["error"]["message"]
            assert "TELEGRAM_BOT_TOKEN" in told
        world.secrets(TELEGRAM_BOT_TOKEN="1:of-this-instance", TELEGRAM_CHAT_ID=CHAT)
        world.result("notify", "hello", **SECRETS)
        assert [message.path for message in api.messages] == ["/bot1:of-this-instance/sendMessage"]
        assert check(world, "telegram")["ok"]


def test_a_search_server_gets_no_key_of_the_environment(world: World) -> None:
    with Liar(lambda line, closing: None) as liar:
        node = f"http://127.0.0.1:{liar.port}"
        world.settings(retrieval__backend="typesense", typesense__nodes=[node])
        ran = world.run("search", "oven", check=0, **SECRETS)
        assert "TYPESENSE_API_KEY in .env" in ran.err
        assert liar.connections == 0
        world.secrets(TYPESENSE_API_KEY="of-this-instance")
        world.run("search", "oven", check=0)
        assert liar.connections


@pytest.mark.parametrize(
    ("address", "home"),
    [
        ("https://api.openai.com", True),
        ("https://api.openai.com/", True),
        ("https://API.openai.com/v1", True),
        ("https://api.openai.com/v1/proxy?x=@evil.example", True),
        ("http://api.openai.com/v1", False),
        ("https://api.openai.com:8443/v1", False),
        ("https://api.openai.com.evil.example/v1", False),
        ("https://api.openai.com@evil.example/v1", False),
        ("https://api.openai.com\\@evil.example/v1", False),
        ("https://api.openai.com?@evil.example/", False),
        ("https://api.openai.com#@evil.example/", False),
        ("https://api.openai.comevil.example", False),
        ("https://evil.example/https://api.openai.com/", False),
        (" https://api.openai.com/v1", False),
        ("https://api.anthropic.com", False),
        ("http://127.0.0.1:11434/v1", False),
    ],
)
def test_only_the_official_host_over_https_is_a_key_s_home(address: str, home: bool) -> None:
    assert is_home("OPENAI_API_KEY", address) is home
    assert not is_home("TYPESENSE_API_KEY", address)
    assert set(HOMES) < set(SECRETS)


# -- what others may read --------------------------------------------------------------------------------------


def open_to_others(root: Path) -> list[str]:
    """Files and folders that somebody else may read, write or enter."""
    return sorted(
        str(path.relative_to(root))
        for path in (root, *root.rglob("*"))
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
    )


@contextmanager
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def cycle(root: Path) -> None:
    """Verbs that make files of every kind."""
    (root / "identity" / "heart.md").write_text("# Heart\n\n## Current Priorities\n\n- The bakery oven\n")
    adjutant("kb", "create", "bakery", cwd=root, check=0)
    (root / "knowledge_bases" / "bakery" / "tasks.md").write_text("# Tasks\n\n- [ ] Pay the oven, due 2026-11-17\n")
    for words in (
        ("pulse",),
        ("review",),
        ("notify", "hello"),
        ("ask", "What is due?"),
        ("memory", "save", "Ina likes rye."),
        ("behavior", "add", "KEEP: short answers"),
        ("slog", "add", "Signed the lease"),
        ("index",),
        ("pause", "away"),
    ):
        adjutant(*words, cwd=root, check=0, ADJUTANT_NOW="2026-11-20T09:00:00+00:00")


def test_what_adjutant_makes_is_for_its_user_alone(tmp_path: Path) -> None:
    with usual_umask():
        root = tmp_path / "new" / "mine"
        adjutant("init", str(root), check=0)
        assert open_to_others(root.parent) == []
        cycle(root)
        own = ["identity/heart.md", "knowledge_bases/bakery/tasks.md"]
        assert [each for each in open_to_others(root) if each != "identity/heart.md"] == own[1:]
        assert (root / "state" / "index.sqlite").exists()
        assert list((root / "state" / "locks").iterdir())


def test_a_file_that_is_replaced_keeps_the_mode_its_owner_gave_it(world: World) -> None:
    registry = world.root / "knowledge_bases" / "registry.yaml"
    registry.chmod(0o640)
    world.result("kb", "create", "garden")
    assert "garden" in registry.read_text()
    assert stat.S_IMODE(registry.stat().st_mode) == 0o640


@pytest.mark.parametrize("words", [("status",), ("pulse",), ("doctor",)])
def test_a_state_that_others_may_enter_is_closed_quietly(world: World, words: tuple[str, ...]) -> None:
    state = world.root / "state"
    state.chmod(0o777)
    ran = world.run(*words)
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert "state/ can" not in ran.out + ran.err


def test_doctor_names_a_state_that_it_may_not_close(world: World, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (world.root / "state").rename(elsewhere)
    elsewhere.chmod(0o755)
    (world.root / "state").symlink_to(elsewhere)
    found = check(world, "state")
    assert not found["ok"]
    assert found["fix"] == f"chmod 700 {elsewhere}"
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755, "a link may lead to what is not ours"
    elsewhere.chmod(0o700)
    assert check(world, "state")["ok"]


SPY = """
import fcntl, os, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
os.listdir(sys.argv[1])
for folder, folders, names in os.walk(sys.argv[1]):
    for name in names:
        try:
            fd = os.open(os.path.join(folder, name), os.O_RDONLY)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print(os.path.join(folder, name))
        except OSError:
            pass
print("looked", flush=True)
sys.stdin.read()
"""


@as_root
def test_another_user_can_neither_read_a_file_nor_hold_up_a_run(shared: Path) -> None:
    with usual_umask():
        root = shared / "mine"
        adjutant("init", str(root), check=0)
        cycle(root)
        (root / "PAUSED").unlink()
        root.chmod(0o755)  # as an instance was made before: only what is in it is closed
        (root / "state").chmod(0o755)
        adjutant("status", cwd=root, check=0)
        command = [sys.executable, "-P", "-c", SPY, str(root), str(STRANGER)]
        spy = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert spy.stdout is not None
        try:
            assert spy.stdout.readline() == "looked\n", "not one file could be opened"
            for words in (("pulse", "--full"), ("notify", "again"), ("slog", "add", "Paid the oven")):
                adjutant(*words, cwd=root, check=0, timeout=30, ADJUTANT_NOW="2026-11-20T10:00:00+00:00")
        finally:
            spy.communicate(timeout=10)


# -- who holds a lock ------------------------------------------------------------------------------------------


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process, this one, has the file locked."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_run_lock_that_is_held_is_refused_at_once_and_its_holder_named(world: World) -> None:
    with held(world.root / "state" / "locks" / "heartbeat.lock"):
        message = world.refusal("pulse", check=75)["error"]["message"]
    assert "another run holds the heartbeat lock" in message
    assert f"process {os.getpid()} of " in message


@pytest.mark.parametrize(
    ("words", "path"),
    [(("notify", "hello"), "state/notices.jsonl"), (("pulse",), "state/actions.jsonl")],
)
def test_an_append_that_is_held_up_ends_in_time_and_names_the_file_and_its_holder(
    world: World,
    words: tuple[str, ...],
    path: str,
) -> None:
    world.plant("from adjutant.store import files; files.DATA_LOCK_WAIT = 0.5")
    with held(world.root / path):
        message = world.refusal(*words, check=75, timeout=30)["error"]["message"]
    assert path in message
    assert f"process {os.getpid()} of " in message
    world.run(*words, check=0)


HOLDER = """
import fcntl, sys
file = open(sys.argv[2], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_the_holder_is_named_by_its_verb(world: World, tmp_path: Path) -> None:
    program, lock = tmp_path / "adjutant", world.root / "state" / "locks" / "learning.lock"
    program.write_text(HOLDER)
    lock.parent.mkdir(exist_ok=True)
    command = [sys.executable, str(program), "distill\x1b[2J", str(lock)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        message = world.refusal("evolve", check=75)["error"]["message"]
        holder.communicate()
    assert f"process {holder.pid} of " in message
    assert f"uid {os.geteuid()}" in message
    assert "adjutant distill[2J" in message
    assert "\x1b" not in message


@as_root
def test_root_in_the_tree_of_another_is_told_once(world: World) -> None:
    os.chown(world.root, STRANGER, STRANGER)
    err = world.run("pulse", check=0).err
    assert err.count("you are root") == 1
    assert f"belongs to uid {STRANGER}" in err
    assert "sudo -u" in err
    assert "you are root" not in world.run("pulse", "--quiet", check=0).err
    os.chown(world.root, 0, 0)
    assert "you are root" not in world.run("pulse", check=0).err


@pytest.mark.parametrize(
    ("settings", "secret", "named"),
    [
        (
            {"llm__backend": "openai", "llm__models__cheap": "m", "llm__base_url": "http://far.invalid/v1"},
            {"OPENAI_API_KEY": "k"},
            "far.invalid",
        ),
        ({"messaging__telegram__api_base": "http://far.invalid"}, {"TELEGRAM_BOT_TOKEN": "k"}, "far.invalid"),
        ({"typesense__nodes": ["https://a.invalid", "http://far.invalid"]}, {"TYPESENSE_API_KEY": "k"}, "far.invalid"),
        ({"redis__url": "redis://127.0.0.1"}, {"REDIS_URL": "redis://u:k@127.0.0.1:1,far.invalid:2/0"}, "far.invalid"),
        (
            {"llm__backend": "openai", "llm__models__cheap": "m", "llm__base_url": "http://127.0.0.1:1/v1"},
            {"OPENAI_API_KEY": "k"},
            "",
        ),
        (
            {"llm__backend": "openai", "llm__models__cheap": "m", "llm__base_url": "https://far.invalid/v1"},
            {"OPENAI_API_KEY": "k"},
            "",
        ),
        ({"redis__url": "redis://127.0.0.1"}, {"REDIS_URL": "rediss://u:k@far.invalid:2/0"}, ""),
        ({"redis__url": "redis://far.invalid"}, {}, ""),
    ],
)
def test_a_key_sent_in_the_clear_is_named(
    world: World, settings: dict[str, Any], secret: dict[str, str], named: str
) -> None:
    world.settings(**settings)
    world.secrets(**secret)
    told = check(world, "secrets on the way")
    warnings = world.run("config", "check", "--json").json["result"]["warnings"]
    assert (told["ok"], named in told["detail"], len(warnings)) == (not named, True, 1 if named else 0)


def test_a_key_in_the_clear_is_told_once_at_use(world: World) -> None:
    world.settings(
        llm__backend="openai", llm__models__cheap="m", llm__base_url="http://far.invalid/v1", llm__max_retries=0
    )
    world.secrets(OPENAI_API_KEY="k")
    world.knowledge("home", {"plan.md": "# Plan\n\n- [ ] Pay the deposit, due 2026-11-17\n"})
    assert world.run("pulse").err.count("OPENAI_API_KEY is sent to far.invalid without TLS") == 1
