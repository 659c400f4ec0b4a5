"""Files that are made from others: `python -m tests.made` writes them anew, tests/laws/test_made.py compares."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from adjutant.domain.recall import taxonomy
from adjutant.language import pack, synonyms
from adjutant.store import package, settings

CHECKOUT = Path(__file__).resolve().parent.parent  # the guards of conftest would let nothing be written there


def config_page() -> str:
    """docs/config.md: what stands above its table stays."""
    page = (CHECKOUT / "docs" / "config.md").read_text()
    return page[: page.index("key | default |")] + config_table()


def config_table() -> str:
    """The table of docs/config.md; fields that every layer or judgement has stand in it once, as NAME's."""

    def row(name: str, setting: settings.Setting, default: str = "") -> str:
        default = default or f"`{settings.as_yaml(setting.default)}`"
        return f"`{name}` | {default} | {setting.help}{settings.list_choices(setting).replace(' | ', ', ')}"

    layers = {s.name.split(".")[-1]: s for s in settings.TABLE if s.name.startswith("layers.")}
    rows = ["key | default | meaning", "---|---|---"]
    rows += [row(s.name, s) for s in settings.TABLE if not s.name.startswith("layers.")]
    rows += [row(f"layers.NAME.{field}", s, "one for each") for field, s in layers.items()]
    rows += [row(f"specialists.NAME.{s.name}", s) for s in settings.SPECIALIST_FIELDS]
    rows += [row(f"judgements.NAME.{s.name}", s) for s in settings.JUDGEMENT_FIELDS]
    for judgement, fields in settings.OPTIONAL_JUDGEMENTS.items():
        rows += [row(f"judgements.{judgement}.{s.name}", s) for s in fields]
    return "\n".join(rows) + "\n"


def scheme() -> str:
    """The package's own taxonomy as it is read: most instances have it as it came."""
    return taxonomy.compile_scheme(package.read("instance", taxonomy.SHIPPED)).decode()


def template(name: str) -> str:
    """The package's copy of a template of the checkout's own prompts/."""
    return (CHECKOUT / "prompts" / name).read_text()


TEMPLATES = sorted(each.name for each in (CHECKOUT / "prompts").glob("*.md"))
MADE = {
    "adjutant.yaml": lambda: settings.default_file("adjutant"),
    "docs/config.md": config_page,
    f"adjutant/language/data/{pack.COMPILED}": pack.compile_packs,
    "adjutant/language/synonyms.json": synonyms.compile_groups,
    f"adjutant/instance/{taxonomy.COMPILED}": scheme,
    **{f"adjutant/prompts/{name}": partial(template, name) for name in TEMPLATES},
}


if __name__ == "__main__":
    for name, make in MADE.items():
        (CHECKOUT / name).write_text(make())
