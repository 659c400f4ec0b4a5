"""Files that are made from others: `python -m tests.made` writes them anew, tests/laws/test_made.py compares."""

from __future__ import annotations

import json
from binascii import crc32
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import yaml

from adjutant.domain.recall import taxonomy
from adjutant.language import pack, synonyms
from adjutant.language.stems import stem
from adjutant.store import package, settings

CHECKOUT = Path(__file__).resolve().parent.parent  # the guards of conftest would let nothing be written there


def default_file() -> str:
    """The adjutant.yaml of the checkout: every key with its default, its help on a line of its own."""
    lines = ["# Settings of this Adjutant instance. Unknown keys and wrong types are refused by name and line."]
    open_at: list[str] = []
    for setting in settings.TABLE:
        parts = setting.name.split(".")
        for before, section in (("heartbeat.escalate_at", "judgements"), ("layers.soul.path", "specialists")):
            if setting.name == before:
                lines += ["", f"# {settings.SECTIONS_HELP[section]}", f"{section}: {{}}"]
        for depth, part in enumerate(parts[:-1]):
            if open_at[: depth + 1] != parts[: depth + 1]:
                open_at = parts[: depth + 1]
                if depth == 0:
                    lines += [""] + ([f"# {settings.SECTIONS_HELP[part]}"] if part in settings.SECTIONS_HELP else [])
                lines.append(f"{'  ' * depth}{part}:")
        pad = "  " * (len(parts) - 1)
        lines += [f"{pad}# {setting.help}{list_choices(setting)}", f"{pad}{parts[-1]}: {as_yaml(setting.default)}"]
    return "\n".join(lines) + "\n"


def list_choices(setting: settings.Setting) -> str:
    """What is told of them behind the help."""
    return f" ({' | '.join(setting.choices)})" if setting.choices and setting.kind not in ("words", "folders") else ""


def as_yaml(value: Any) -> str:
    """A default as a person writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(as_yaml, value))}]"
    if isinstance(value, str):
        plain = value.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
        words = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
        if plain.isalpha() and plain.isascii() and value.lower() not in words:
            return value
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else json.dumps(value, ensure_ascii=False)


def config_page() -> str:
    """docs/config.md: what stands above its table stays."""
    page = (CHECKOUT / "docs" / "config.md").read_text()
    return page[: page.index("key | default |")] + config_table()


def config_table() -> str:
    """The table of docs/config.md; fields that every layer or judgement has stand in it once, as NAME's."""

    def row(name: str, setting: settings.Setting, default: str = "") -> str:
        default = default or f"`{as_yaml(setting.default)}`"
        return f"`{name}` | {default} | {setting.help}{list_choices(setting).replace(' | ', ', ')}"

    layers = {s.name.split(".")[-1]: s for s in settings.TABLE if s.name.startswith("layers.")}
    rows = ["key | default | meaning", "---|---|---"]
    rows += [row(s.name, s) for s in settings.TABLE if not s.name.startswith("layers.")]
    rows += [row(f"layers.NAME.{field}", s, "one for each") for field, s in layers.items()]
    for section in ("specialists", "judgements"):
        rows += [row(f"{section}.NAME.{s.name}", s) for s in settings.fields_of(section)]
    rows += [row(s.name, s) for s in settings.EVERY if s.name.startswith("judgements.classify.")]
    return "\n".join(rows) + "\n"


def packs() -> str:
    """All word lists: {"hash": of the YAML files, "packs": {code: {file: lists}}}."""
    codes = [code for code in package.names(*pack.DATA) if code != pack.COMPILED]
    files = [(code, name) for code in codes for name in package.names(*pack.DATA, code) if name.endswith(".yaml")]
    found: dict[str, pack.Lists] = {}
    sum_, size = 0, 0
    for code, name in files:
        text = package.read(*pack.DATA, code, name)
        sum_, size = crc32(text, crc32(f"{code}/{name}".encode(), sum_)), size + len(text)
        found.setdefault(code, {})[name.removesuffix(".yaml")] = yaml.load(text, Loader=yaml.CBaseLoader)
    held = {"hash": f"{size}-{sum_:08x}", "packs": found}
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def groups() -> str:
    """The synonyms of every language, by stem."""
    made = dict[str, synonyms.Groups]()
    for code in package.names(*pack.DATA):
        if "." in code or "synonyms.txt" not in package.names(*pack.DATA, code):
            continue
        lines = package.text(*pack.DATA, code, "synonyms.txt").splitlines()
        several = [line for line in lines if line.strip() and not line.startswith("#")]
        found = dict[str, tuple[int, ...]]()
        for number, group in enumerate(several):
            for each in sorted({stem(word, code) for word in group.split()}):
                found[each] = (*found.get(each, ()), number)
        made[code] = synonyms.Groups(tuple(several), found)
    return msgspec.json.encode(made).decode()


def scheme() -> str:
    """The package's own taxonomy as it is read: the sha256 of its bytes on the first line, then JSON."""
    data = package.read("instance", taxonomy.SHIPPED)
    read = taxonomy.SchemeReader(taxonomy.SHIPPED).read(data)
    held = msgspec.json.encode([read.pref, list(read.concepts.values())]).decode()
    return f"{sha256(data).hexdigest()}\n{held}\n"


def template(name: str) -> str:
    """The package's copy of a template of the checkout's own prompts/."""
    return (CHECKOUT / "prompts" / name).read_text()


TEMPLATES = sorted(each.name for each in (CHECKOUT / "prompts").glob("*.md"))
MADE = {
    "adjutant.yaml": default_file,
    "adjutant/instance/settings.yaml": default_file,  # what `init` writes, under the name of the folder
    "docs/config.md": config_page,
    f"adjutant/language/data/{pack.COMPILED}": packs,
    "adjutant/language/synonyms.json": groups,
    f"adjutant/instance/{taxonomy.COMPILED}": scheme,
    **{f"adjutant/prompts/{name}": partial(template, name) for name in TEMPLATES},
}


if __name__ == "__main__":
    for name, make in MADE.items():
        (CHECKOUT / name).write_text(make())
