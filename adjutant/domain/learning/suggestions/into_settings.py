"""DOMAIN. adjutant.yaml and the taxonomy with one value changed, and every other byte as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adjutant.documents import edits
from adjutant.documents.edits import BOM, STEP, EditRefused, inline
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.concept import Concept
from adjutant.domain.recall.taxonomy import Scheme
from adjutant.errors import ConfigInvalid, TaxonomyInvalid
from adjutant.store import config as settings
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import Tree


def with_setting(text: str, name: str, value: str | None) -> str:
    """adjutant.yaml with `a.b.c: value`, set where it stands or added. Raises EditRefused."""
    path, advice, before = name.split("."), f"set `{name}: {edits.scalar(value)}` by hand", _config(text)
    changed = _edited(text, lambda plain: edits.with_value(plain, settings.NAME, path, value), advice)
    return _proved(before, changed, path, value, advice)


def without_item(text: str, name: str, item: str) -> str:
    """adjutant.yaml with one item taken out of the list `a.b.c`. Raises EditRefused, also where it is not in it."""
    path, advice, before = name.split("."), f"take `{item}` out of `{name}` by hand", _config(text)
    changed = _edited(text, lambda plain: edits.without_item(plain, settings.NAME, path, item), advice)
    values, key = _slot(before, path)
    return _proved(before, changed, path, [each for each in values[key] if each != item], advice)


def with_concept(text: str, shown: str, concept: Concept) -> str:
    """A taxonomy with one concept more, below the others of its broader one; `shown`: its path. Raises EditRefused."""
    advice, before = f"add `{concept.id}` by hand", _scheme(text, shown)
    if not concept.broader:
        raise EditRefused(f"{shown}: there is no block of concepts to add to; {advice}")
    broader, rows = concept.broader[0], _rows(concept)
    known = {id: each._replace(lines={}) for id, each in before.concepts.items()}
    if broader not in known:
        raise EditRefused(f"{shown}: there is no concept `{broader}`; {advice}")

    def edit(plain: str) -> str:
        return edits.with_rows(plain, shown, "concepts", lambda id: f"{id}/".startswith(f"{broader}/"), rows)

    changed = _edited(text, edit, advice)
    after = _scheme(changed, shown)
    found = {id: each._replace(lines={}) for id, each in after.concepts.items()}
    if found != known | {concept.id: concept._replace(lines={})} or concept.id in known or after.pref != before.pref:
        raise EditRefused(f"{shown}: it is written in a way that nothing can be added to for certain; {advice}")
    return changed


def _rows(concept: Concept) -> list[str]:
    """A concept as lines of the taxonomy."""
    labels = ", ".join(f"{language}: {inline(label)}" for language, label in concept.pref.items())
    rows = [f"{concept.id}:", f"{STEP}prefLabel: {{{labels}}}"]
    for name, several in (("altLabels", concept.alt), ("hiddenLabels", concept.hidden)):
        rows += [f"{STEP}{name}:"] if several else []
        rows += [f"{STEP * 2}{language}: {inline(words)}" for language, words in several.items()]
    return [*rows, f"{STEP}broader: {concept.broader[0]}"]


def _edited(text: str, edit: Callable[[str], str], advice: str) -> str:
    """What an edit makes of a text; a byte order mark stays in front. Raises EditRefused."""
    mark = BOM if text.startswith(BOM) else ""
    try:
        return mark + edit(text.removeprefix(BOM))
    except EditRefused as error:
        raise EditRefused(f"{error}; {advice}") from error


def _config(text: str) -> Config:
    try:
        return settings.parse(text.encode("utf-8", "surrogatepass"))
    except ConfigInvalid as error:
        raise EditRefused(error.message) from error


def _scheme(text: str, shown: str) -> Scheme:
    """The scheme of a text, read as if it lay in an instance."""
    files = Files(Tree("/"), dry=True)
    files.overlay[files.tree.taxonomy] = text.encode("utf-8", "surrogatepass")
    try:
        return taxonomy.load(files)
    except TaxonomyInvalid as error:
        raise EditRefused(error.message.replace(files.tree.relative(files.tree.taxonomy), shown)) from error


def _slot(config: Config, path: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Where judgements.NAME.FIELD, specialists.NAME.FIELD or any other setting is kept: the map, and the key in it."""
    if path[0] in ("judgements", "specialists") and len(path) == 3:
        maps: dict[str, dict[str, Any]] = getattr(config, path[0])
        return maps.setdefault(path[1], {}), path[2]
    return config.values, ".".join(path)


def _proved(before: Config, changed: str, path: Sequence[str], value: Any, advice: str) -> str:
    """`changed`, where it says what is meant and else what it said before. Raises EditRefused."""
    after, (values, key) = _config(changed), _slot(before, path)
    values[key] = value
    if (before.values, before.judgements, before.specialists) != (after.values, after.judgements, after.specialists):
        raise EditRefused(f"{settings.NAME}: it is written in a way that cannot be edited for certain; {advice}")
    return changed
