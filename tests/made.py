"""Files that are made from others: `python -m tests.made` writes them anew, tests/laws/test_made.py compares."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from adjutant.domain.recall import taxonomy
from adjutant.language import pack, synonyms
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


def scheme() -> str:
    """The package's own taxonomy as it is read: most instances have it as it came."""
    return taxonomy.compile_scheme(package.read("instance", taxonomy.SHIPPED)).decode()


def template(name: str) -> str:
    """The package's copy of a template of the checkout's own prompts/."""
    return (CHECKOUT / "prompts" / name).read_text()


TEMPLATES = sorted(each.name for each in (CHECKOUT / "prompts").glob("*.md"))
MADE = {
    "adjutant.yaml": default_file,
    "adjutant/instance/settings.yaml": default_file,  # what `init` writes, under the name of the folder
    "docs/config.md": config_page,
    f"adjutant/language/data/{pack.COMPILED}": pack.compile_packs,
    "adjutant/language/synonyms.json": synonyms.compile_groups,
    f"adjutant/instance/{taxonomy.COMPILED}": scheme,
    **{f"adjutant/prompts/{name}": partial(template, name) for name in TEMPLATES},
}


if __name__ == "__main__":
    for name, make in MADE.items():
        (CHECKOUT / name).write_text(make())
