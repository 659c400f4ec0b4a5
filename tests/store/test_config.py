"""adjutant.yaml: every setting checked and named by line; the compiled form counts only for the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adjutant.errors import ConfigInvalid
from adjutant.stages import init
from adjutant.store import config, package, settings
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import CHECKOUT
from tests.store.conftest import Store, snapshot

DEFAULTS = {setting.name: setting.default for setting in settings.TABLE}


def refused(text: str | bytes) -> str:
    with pytest.raises(ConfigInvalid) as caught:
        config.parse(text.encode() if isinstance(text, str) else text)
    assert caught.value.exit_code == 78
    assert caught.value.fix
    return caught.value.message


# -- the table -----------------------------------------------------------------------------------------------


def test_the_file_that_init_writes_is_right_and_says_what_the_table_says() -> None:
    text = package.text("instance", "settings.yaml")
    assert config.parse(text.encode()).values == DEFAULTS
    assert max(map(len, text.split("\n"))) <= 120


def test_an_ordinary_yaml_reader_finds_the_same_in_it() -> None:
    def flat(value: Any, name: str = "") -> dict[str, Any]:
        if not isinstance(value, dict) or name == "llm.prices":
            return {name: value}
        return {k: v for key, inner in value.items() for k, v in flat(inner, f"{name}.{key}".lstrip(".")).items()}

    found = flat(yaml.safe_load(package.text("instance", "settings.yaml")))
    assert found == DEFAULTS


def test_the_checkout_s_own_file_is_the_one_that_init_writes() -> None:
    assert (CHECKOUT / "adjutant.yaml").read_text() == package.text("instance", "settings.yaml")


@pytest.mark.parametrize("name", ["my home", "no", "22:00", 'a "quoted" one', "ære", "#1", "a: b", "007", "*x", "\\"])
def test_any_name_of_a_folder_is_written_so_that_it_is_read_back(name: str) -> None:
    tree = Tree(f"/home/{name}")
    assert config.parse(init.contents(tree)[tree.config].encode()).text("instance.name") == name


@pytest.mark.parametrize("setting", settings.TABLE, ids=lambda setting: setting.name)
def test_every_default_holds_its_own_check_and_has_its_help(setting: settings.Setting) -> None:
    assert setting.help
    assert setting.default is not None or setting.optional
    given = setting.default if setting.kind in ("words", "folders") else [setting.default] if setting.default else []
    assert not setting.choices or set(given) <= set(setting.choices)
    assert setting.low is None or setting.default is None or setting.default >= setting.low
    assert setting.high is None or setting.default is None or setting.default <= setting.high


def test_nothing_at_all_is_all_defaults() -> None:
    for text in ("", "# only a comment\n", "---\n", "heartbeat:\n", "heartbeat: {}\nllm: {models: {}}\n"):
        assert config.parse(text.encode()).values == DEFAULTS


def test_a_list_of_paths_is_read_as_written() -> None:
    found = config.parse(b"retrieval:\n  vault: [no, 'a b/c', /srv/wiki, 007]\n")
    assert found.paths("retrieval.vault") == ("no", "a b/c", "/srv/wiki", "007")
    assert config.defaults().paths("retrieval.vault") == ()


def test_a_vault_folder_may_say_whose_word_it_is_and_what_is_left_out() -> None:
    found = config.parse(
        b"retrieval:\n  vault:\n    - notes\n    - {path: /w, trust: operator, exclude: [old/, '*.x']}\n"
    )
    assert [(each.path, each.trust, each.exclude) for each in found.folders("retrieval.vault")] == [
        ("notes", "untrusted", ()),
        ("/w", "operator", ("old/", "*.x")),
    ]
    assert found.paths("retrieval.vault") == ("notes", "/w")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{trust: operator}", "`retrieval.vault.path` is missing"),
        ("{path: a, trust: me}", "operator | untrusted"),
        ("{path: a, exclude: {b: c}}", "list of gitignore patterns"),
        ("{path: a, exclude: [{b: c}]}", "list of gitignore patterns"),
        ("{path: a, why: b}", "unknown key `retrieval.vault.why`"),
    ],
)
def test_a_vault_folder_that_says_anything_else_is_refused(entry: str, said: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config.parse(f"retrieval:\n  vault:\n    - {entry}\n".encode())
    assert said in caught.value.message
    assert ":3:" in caught.value.message


def test_servers_are_read_as_written_and_null_is_none_of_them() -> None:
    text = b"typesense: {nodes: ['http://a:8108/', 'https://b']}\nredis: {url: 'redis://a:6379,b:6379/0'}\n"
    found = config.parse(text)
    assert found.addresses("typesense.nodes") == ("http://a:8108", "https://b")
    assert found.text("redis.url") == "redis://a:6379,b:6379/0"
    for none in (config.parse(b"typesense: null\nredis: null\n"), config.defaults()):
        assert none.addresses("typesense.nodes") == ()
        assert none.text_or_none("redis.url") is None


@pytest.mark.parametrize(
    "text",
    [
        "redis: {url: 'redis://:canary@h/0'}",
        "redis: {url: 'redis://h/0?password=canary'}",
        "typesense: {nodes: ['http://canary:canary@h']}",
    ],
)
def test_a_password_in_the_file_is_refused_and_not_shown(text: str) -> None:
    assert "canary" not in refused(text)


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nnotifcations: {max_per_day: 5}\n", "2: unknown key `notifcations`; did you mean `notifications`?"),
        ("heartbeat:\n  escalate: high\n", "2: unknown key `heartbeat.escalate`; did you mean `escalate_at`?"),
        (
            "notifications:\n  quiet_hours:\n    form: 1\n",
            "3: unknown key `notifications.quiet_hours.form`; known here: enabled, end, start",
        ),
        ("xyz: 1\n", "1: unknown key `xyz`; known here: behavior, conductor, debug"),
        ("judgements: {breif: {model: m}}\n", "1: unknown key `judgements.breif`; did you mean `brief`?"),
        ("judgements: {brief: {modell: m}}\n", "1: unknown key `judgements.brief.modell`; did you mean `model`?"),
        ("debug: {dry_run: true}\ndebug: {dry_run: false}\n", "2: `debug` is given twice (first on line 1)"),
        ("debug:\n  dry_run: true\n  dry_run: false\n", "3: `dry_run` is given twice (first on line 2)"),
        (
            "notifications: {max_per_day: many}\n",
            "1: `notifications.max_per_day` must be a whole number from 0 to 100, not `many`",
        ),
        ("notifications: {max_per_day: 3.5}\n", "1: `notifications.max_per_day` must be a whole number"),
        ("notifications: {max_per_day: -1}\n", "1: `notifications.max_per_day` must be a whole number"),
        ("notifications: {max_per_day: null}\n", "1: `notifications.max_per_day` must be a whole number"),
        (
            "notifications: {max_per_day: [3]}\n",
            "1: `notifications.max_per_day` must be a whole number from 0 to 100, not a list",
        ),
        ("notifications: 3\n", "1: `notifications` must be a mapping, not `3`"),
        ("debug: {dry_run: yes}\n", "1: `debug.dry_run` must be true or false, not `yes`"),
        ("debug: {dry_run: 1}\n", "1: `debug.dry_run` must be true or false, not `1`"),
        (
            "heartbeat: {escalate_at: hihg}\n",
            "1: `heartbeat.escalate_at` must be low | medium | high | critical, not `hihg`; did you mean `high`?",
        ),
        ("heartbeat: {escalate_at: no}\n", "1: `heartbeat.escalate_at` must be low"),
        (
            "notifications: {quiet_hours: {start: 1320}}\n",
            '1: `notifications.quiet_hours.start` must be a time "HH:MM", not `1320`',
        ),
        ("notifications: {quiet_hours: {start: 24:00}}\n", "1: `notifications.quiet_hours.start` must be a time"),
        ("notifications: {quiet_hours: {start: 22}}\n", "1: `notifications.quiet_hours.start` must be a time"),
        ("instance: {timezone: Europe/Olso}\n", "1: `instance.timezone` must be an IANA time zone"),
        ("instance: {timezone: ../../etc/passwd}\n", "1: `instance.timezone` must be an IANA time zone"),
        ("llm: {program: bin/claude}\n", "1: `llm.program` must be a name, or a path that begins with / or ~/"),
        ("llm: {base_url: 'ftp://x'}\n", "1: `llm.base_url` must be a URL"),
        ("llm: {timeout_seconds: .nan}\n", "1: `llm.timeout_seconds` must be a number"),
        ("llm: {timeout_seconds: .inf}\n", "1: `llm.timeout_seconds` must be a number"),
        ("llm: {timeout_seconds: 1e999}\n", "1: `llm.timeout_seconds` must be a number"),
        ("llm:\n  backend: openai\n", "2: `llm.backend: openai` needs `llm.models.cheap`"),
        ("notifications: {channel: command}\n", "1: `notifications.channel: command` needs `notifications.command`"),
        (
            "retrieval: {backend: typesens}\n",
            "1: `retrieval.backend` must be sqlite | typesense, not `typesens`; did you mean `typesense`?",
        ),
        (
            "retrieval:\n  backend: typesense\n",
            "2: `retrieval.backend: typesense` needs `typesense.nodes`, the servers to ask",
        ),
        (
            "typesense:\n  nodes: http://a:8108\n",
            "2: `typesense.nodes` must be a list of URLs that start with http:// or https:// or null, not `http://a:8108`",
        ),
        ("typesense: {nodes: []}\n", "1: `typesense.nodes` must be a list of URLs that start with"),
        (
            "typesense:\n  nodes:\n  - http://a:1\n  - ftp://b:2\n",
            "4: `typesense.nodes` is a list of URLs that start with",
        ),
        (
            "typesense: {nodes: ['http://a:1', 'http://a:1/']}\n",
            "1: `typesense.nodes` is a list of URLs that start with",
        ),
        (
            "redis: {url: 'http://a'}\n",
            "1: `redis.url` must be a URL such as redis://127.0.0.1:6379/0 or null, not `http://a`",
        ),
        (
            "retrieval:\n  vault: notes\n",
            "2: `retrieval.vault` must be a list of paths, relative to the instance or starting with /, not `notes`",
        ),
        (
            "retrieval:\n  vault:\n",
            "2: `retrieval.vault` must be a list of paths, relative to the instance or starting with /, not nothing",
        ),
        (
            "retrieval: {vault: {a: b}}\n",
            "1: `retrieval.vault` must be a list of paths, relative to the instance or starting with /, not a mapping",
        ),
        (
            "retrieval:\n  vault:\n    - notes\n    - ~/notes\n",
            "4: `retrieval.vault` is a list of paths, relative to the instance or starting with /, and `~/notes`",
        ),
        (
            "retrieval:\n  vault:\n    - notes\n    - notes\n",
            "4: `retrieval.vault` is a list of paths, relative to the instance "
            "or starting with /, and `notes` is there already",
        ),
        (
            "retrieval: {vault: [a, [b]]}\n",
            "1: `retrieval.vault` is a list of paths, relative to the instance or starting with /, and a list is none",
        ),
        ("retrieval: {vault: ['']}\n", "1: `retrieval.vault` is a list of paths"),
        ("retrieval: {vault: [null]}\n", "1: `retrieval.vault` is a list of paths"),
        ("retrieval: {weather: slog}\n", "1: `retrieval.weather` must be a list of agent_memory | "),
        ("retrieval:\n  weather:\n  - slog\n  - otel_events\n", "4: `retrieval.weather` is a list of agent_memory | "),
        ("retrieval: {weather: [slog, slog]}\n", "1: `retrieval.weather` is a list of agent_memory | "),
        (
            "specialists: {coder: {workspace: workspace/../identity}}\n",
            "1: `specialists.coder.workspace` must be a folder in workspace/",
        ),
        ("specialists: {coder: {workspace: workspace}}\n", "1: `specialists.coder.workspace` must be a folder in"),
        ("jobs: {kb: ../x}\n", "1: `jobs.kb` must be a name of a-z, 0-9, _ and -, at most 63 characters, not `../x`"),
        ("specialists: {writer: {}}\n", "1: the name of specialist `writer` is the conductor's own"),
        ("specialists: {../x: {}}\n", "1: the name of specialist `../x` must be 1 to 40 of a-z, 0-9, - and _"),
        ("specialists:\n  a: {workloads: [build]}\n  b: {workloads: [build]}\n", "3: `build` belongs to `a` already"),
        ("specialists:\n  a: {workloads: [biuld]}\n", "2: `specialists.a.workloads` is a list of platform | "),
        ("specialists: {coder: {tools: all}}\n", "1: unknown key `specialists.coder.tools`"),
        ("a: &x 1\nb: *x\n", "2: aliases (*x) are not read here"),
        ("<<: {a: 1}\n", "1: unknown key `<<`"),
        ("- a\n", "1: must be `key: value` lines, not a list"),
        ("a: " + "{b: " * 5000, "1: nested deeper than 12"),
        ("debug: {dry_run: true\n", "2: "),
    ],
    ids=lambda value: value[:40],
)
def test_what_is_wrong_is_refused_by_line_key_and_what_would_be_right(text: str, said: str) -> None:
    assert refused(text).startswith(f"adjutant.yaml:{said}")


def test_bytes_that_are_no_text_are_refused_by_line() -> None:
    assert refused(b"# \xc3\xa6\ninstance: {name: \xe6}\n") == "adjutant.yaml:2: not UTF-8"


# -- what is understood --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("notifications: {quiet_hours: {start: 22:00, end: 7:00}}", "notifications.quiet_hours.start", "22:00"),
        ("notifications: {quiet_hours: {start: 22:00, end: 7:00}}", "notifications.quiet_hours.end", "07:00"),
        ('notifications: {quiet_hours: {start: "06:30"}}', "notifications.quiet_hours.start", "06:30"),
        ("instance: {name: no}", "instance.name", "no"),
        ("instance: {name: 007}", "instance.name", "007"),
        ("instance: {timezone: Europe/Oslo}", "instance.timezone", "Europe/Oslo"),
        ("llm: {timeout_seconds: 1e1}", "llm.timeout_seconds", 10.0),
        ("llm: {program: ~/.opencode/bin/opencode}", "llm.program", "~/.opencode/bin/opencode"),
        ("llm: {program: opencode}", "llm.program", "opencode"),
        ("llm: {base_url: http://127.0.0.1:11434/v1/}", "llm.base_url", "http://127.0.0.1:11434/v1"),
        ("heartbeat: {escalate_at: 'medium'}", "heartbeat.escalate_at", "medium"),
        ("debug: {dry_run: True}", "debug.dry_run", True),
        ("\ufeffinstance:\r\n  name: mine\r\n", "instance.name", "mine"),
    ],
)
def test_what_a_person_means_is_understood(text: str, name: str, value: object) -> None:
    assert config.parse(text.encode()).values[name] == value


def test_judgements_may_be_set_one_by_one() -> None:
    text = "judgements:\n  brief: {model: medium, temperature: 0.5}\n  synthesis:\n    max_tokens: 500\n"
    assert config.parse(text.encode()).judgements == {
        "brief": {"model": "medium", "temperature": 0.5},
        "synthesis": {"max_tokens": 500},
    }


SIGNS = "instacehrbn:{}[]-#&*'\"| \n0123456789"


@given(st.binary(max_size=200) | st.text(alphabet=SIGNS, max_size=80).map(str.encode))
def test_whatever_the_bytes_are_they_are_read_or_refused(data: bytes) -> None:
    try:
        config.parse(data)
    except ConfigInvalid as invalid:
        assert invalid.message.startswith("adjutant.yaml:")


# -- the compiled form ---------------------------------------------------------------------------------------


@pytest.fixture
def written(files: Store) -> Store:
    Path(files.tree.config).write_text("instance: {name: mine}\njudgements: {brief: {model: m}}\n")
    return files


def cached(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files.read(files.tree.config_cache))
    return found


def test_the_second_reading_comes_from_the_compiled_form(written: Store) -> None:
    first = config.load(written)
    altered = cached(written)
    altered["values"]["instance.name"] = "from the cache"
    written.replace(written.tree.config_cache, json.dumps(altered))
    second = config.load(written)
    assert first.text("instance.name") == "mine"
    assert second.text("instance.name") == "from the cache"
    assert second.judgements == {"brief": {"model": "m"}}


def test_the_compiled_form_counts_only_for_the_same_bytes(written: Store) -> None:
    config.load(written)
    altered = cached(written)
    altered["values"]["instance.name"] = "from the cache"
    written.replace(written.tree.config_cache, json.dumps(altered))
    with open(written.tree.config, "a") as file:
        file.write(" ")
    assert config.load(written).text("instance.name") == "mine"
    with open(written.tree.config, "a") as file:
        file.write("\ndebug: {dryrun: true}\n")
    with pytest.raises(ConfigInvalid):
        config.load(written)


UNUSABLE = (b"", b"{", b"[]", b"null", b'{"raw": 1}', b"\xff", b"{" * 100_000, b'{"stamp": "", "raw": ""}')


@pytest.mark.parametrize("data", UNUSABLE, ids=lambda data: data[:20])
def test_a_compiled_form_that_cannot_be_used_is_not_used(written: Store, data: bytes) -> None:
    written.replace(written.tree.config_cache, data)
    assert config.load(written).text("instance.name") == "mine"
    assert cached(written)["values"]["instance.name"] == "mine"


def test_that_no_compiled_form_can_be_written_is_no_error(written: Store) -> None:
    Path(written.tree.state).write_text("a file where a folder belongs")
    assert config.load(written).text("instance.name") == "mine"


def test_a_dry_run_and_a_paused_gate_may_compile_too(written: Store) -> None:
    assert config.load(Files(Tree(written.tree.root), dry=True)).text("instance.name") == "mine"
    assert list(snapshot(written.tree.cache)) == ["config.json"]


def test_a_missing_file_a_folder_or_a_huge_one_is_a_configuration_error(files: Store) -> None:
    path = Path(files.tree.config)
    with pytest.raises(ConfigInvalid, match="is missing"):
        config.load(files)
    path.mkdir()
    with pytest.raises(ConfigInvalid, match="not a regular file"):
        config.load(files)
    path.rmdir()
    path.write_bytes(b"# " + b"x" * config.MAX_BYTES)
    with pytest.raises(ConfigInvalid, match="more than"):
        config.load(files)


# -- prices ----------------------------------------------------------------------------------------------------


def test_a_price_is_money_per_million_tokens_in_a_currency() -> None:
    text = "llm:\n  prices:\n    gpt-4.1-mini: {in: 0.4, out: 1.6}\n    qwen3: {in: 0, out: 0, currency: EUR}\n"
    assert config.parse(text.encode()).prices() == {
        "gpt-4.1-mini": {"in": 0.4, "out": 1.6, "currency": "USD"},
        "qwen3": {"in": 0.0, "out": 0.0, "currency": "EUR"},
    }
    assert config.parse(b"llm: {prices: null}").prices() == config.parse(b"llm: {prices: {}}").prices() == {}


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("0.4", "`llm.prices.m` must be a mapping, not `0.4`"),
        ("{in: 0.4}", "`llm.prices.m.out` is missing"),
        ("{in: -1, out: 2}", "`llm.prices.m.in` must be a number of at least 0, not `-1`"),
        ("{in: free, out: 2}", "`llm.prices.m.in` must be a number"),
        ("{in: 1, out: 2, per: 1}", "unknown key `llm.prices.m.per`"),
        ('{in: 1, out: 2, currency: ""}', "`llm.prices.m.currency` must be a text"),
    ],
)
def test_a_price_that_is_none_is_named_by_its_line(price: str, said: str) -> None:
    told = refused(f"llm:\n  prices:\n    m: {price}\n")
    assert told.startswith("adjutant.yaml:3: ")
    assert said in told
