"""DOMAIN. The concept scheme of prompts/taxonomy.yaml: the instance's own, else the package's, read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

import msgspec

from adjutant.domain.recall.scheme import SCHEME, TOPS, Concept, Scheme, TaxonomyProblem
from adjutant.errors import TaxonomyInvalid
from adjutant.store import package
from adjutant.store.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.store.marked_yaml import Node

SHIPPED, COMPILED = "taxonomy.yaml", "taxonomy.json"  # the package's own scheme, and the same as it was once read
MAX_BYTES = 1024 * 1024


def load(files: Files) -> Scheme:
    """The instance's own scheme, else the package's. Raises TaxonomyInvalid with file and line, FileDamaged."""
    data, shown = source(files)
    scheme, problems = _read(data, shown)
    if scheme is None:
        raise TaxonomyInvalid(str(problems[0]), problems[0].fix)
    return scheme


def source(files: Files) -> tuple[bytes, str]:
    """The bytes of the taxonomy that counts, and its name for messages. Raises FileDamaged, IoFailed."""
    try:
        return files.read(files.tree.taxonomy, MAX_BYTES), files.tree.relative(files.tree.taxonomy)
    except FileNotFoundError:
        return package.read("instance", SHIPPED), SHIPPED


def own() -> Scheme:
    """The scheme that comes with the package."""
    scheme, _ = _read(package.read("instance", SHIPPED), SHIPPED)
    assert scheme is not None
    return scheme


def problems(data: bytes, shown: str) -> list[TaxonomyProblem]:
    """Everything that is wrong with a taxonomy file, by line; [] for a valid one."""
    return list(_read(data, shown)[1])


def compile_scheme(data: bytes) -> bytes:
    """A valid scheme as `_read_compiled` reads it: the sha256 of its bytes on the first line, then JSON."""
    scheme, _ = _read_yaml(data, SHIPPED)
    assert scheme is not None
    return (
        f"{sha256(data).hexdigest()}\n".encode()
        + msgspec.json.encode([scheme.pref, list(scheme.concepts.values())])
        + b"\n"
    )


def _read_compiled(data: bytes) -> Scheme | None:
    """The package's own scheme where these are its bytes, read in a tenth of the time; most instances keep it so."""
    sha, _, held = package.read("instance", COMPILED).partition(b"\n")
    if sha.decode() != sha256(data).hexdigest():
        return None
    return Scheme(*msgspec.json.decode(held, type=tuple[dict[str, str], list[Concept]]))


@lru_cache(maxsize=4)
def _read(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    if (known := _read_compiled(data)) is not None:
        return known, ()
    return _read_yaml(data, shown)


def _read_yaml(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    reader = SchemeReader(shown)
    scheme = reader.read(data)
    found = tuple(sorted(reader.problems, key=lambda problem: problem.line))
    return (None if found else scheme), found


# -- an edited scheme, read from YAML and checked by SKOS: what is wrong, in which line, what to do -------------


KEYS = ("prefLabel", "altLabels", "hiddenLabels", "scopeNote", "broader", "related")
SCHEME_KEYS = ("scheme", "prefLabel", "concepts")
_ID = re.compile(r"adjutant:[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class SchemeReader:
    """Reads one file and collects what is wrong with it."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.problems: list[TaxonomyProblem] = []

    def wrong(self, line: int, message: str, fix: str) -> None:
        """Notes a problem."""
        self.problems.append(TaxonomyProblem(self.shown, line, message, fix))

    def read(self, data: bytes) -> Scheme | None:
        """The scheme, which is valid where there are no problems; None where there is none at all."""
        from adjutant.store import marked_yaml  # yaml, 20 ms: only for a scheme that was edited

        try:
            root = marked_yaml.mapping(data, self.shown, max_depth=6)
        except marked_yaml.Broken as error:
            _, number, message = str(error).split(":", 2)
            self.wrong(int(number), message.strip(), "mend the YAML of this line")
            return None
        fields = dict(root.items())
        self._find_unknown(fields, SCHEME_KEYS, "the scheme")
        named, listed = fields.get("scheme"), fields.get("concepts")
        if named is None or named.text != SCHEME:
            line = named.line if named is not None else 1
            self.wrong(line, f"the scheme is not `{SCHEME}`", f"write `scheme: {SCHEME}` as the first line")
        pref = self._read_texts(fields.get("prefLabel"), "prefLabel")
        if listed is None or not listed.is_mapping:
            line = listed.line if listed is not None else 1
            fix = "write `concepts:` with one `adjutant:…:` entry a concept below it"
            self.wrong(line, "there is no mapping `concepts`", fix)
            return None
        concepts = [self._read_concept(id, node) for id, node in listed.items()]
        self._check(concepts, listed.key_line)
        return Scheme(pref, concepts)

    def _read_concept(self, id: str, node: Node) -> Concept:
        if not _ID.fullmatch(id) or id == SCHEME:
            fix = "write `adjutant:` and lower-case words, e.g. `adjutant:platform/k8s`"
            self.wrong(node.key_line, f"`{id[:60]}` is no id of a concept", fix)
        fields = dict(node.items()) if node.is_mapping else {}
        if not node.is_mapping:
            self.wrong(node.key_line, f"`{id[:60]}` holds {node.shown}", f"give it {', '.join(KEYS[:4])} …")
        self._find_unknown(fields, KEYS, id)
        return Concept(
            id,
            {"": node.key_line, **{key: inner.key_line for key, inner in fields.items()}},
            self._read_texts(fields.get("prefLabel"), "prefLabel"),
            self._read_lists(fields.get("altLabels"), "altLabels"),
            self._read_lists(fields.get("hiddenLabels"), "hiddenLabels"),
            self._read_texts(fields.get("scopeNote"), "scopeNote"),
            self._read_ids(fields.get("broader"), "broader"),
            self._read_ids(fields.get("related"), "related"),
        )

    def _find_unknown(self, fields: Mapping[str, Node], known: tuple[str, ...], where: str) -> None:
        for key, node in fields.items():
            if key not in known:
                fix = _hint(key, known, f"take it out; {where} has {', '.join(known)}")
                self.wrong(node.key_line, f"unknown key `{key[:40]}` in {where[:60]}", fix)

    def _read_languages(self, node: Node | None, key: str) -> Iterator[tuple[str, Node]]:
        """(language, node) of `key: {en: …}`."""
        if node is None or node.is_null:
            return
        if not node.is_mapping:
            self.wrong(node.line, f"`{key}` holds {node.shown}", f"give the language: `{key}: {{en: …}}`")
            return
        for language, inner in node.items():
            if _LANGUAGE.fullmatch(language):
                yield language, inner
            else:
                self.wrong(inner.key_line, f"`{language[:20]}` is no language tag", "write en, nb, de, en-GB …")

    def _read_texts(self, node: Node | None, key: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for language, inner in self._read_languages(node, key):
            if inner.is_list and key == "prefLabel":
                fix = "keep one and move the others to altLabels"
                self.wrong(inner.line, f"more than one prefLabel for `{language}`", fix)
            elif text := self._read_text(inner, key):
                found[language] = text
        return found

    def _read_lists(self, node: Node | None, key: str) -> dict[str, tuple[str, ...]]:
        return {
            language: tuple(text for each in _list(inner) if (text := self._read_text(each, key)))
            for language, inner in self._read_languages(node, key)
        }

    def _read_text(self, node: Node, key: str) -> str:
        text = node.text.strip()
        if not node.is_scalar or node.is_null or not text:
            self.wrong(node.line, f"{node.shown} where a text of `{key}` belongs", "write a word or a short phrase")
        elif _UNPRINTABLE.search(text):
            self.wrong(node.line, f"a control character in a text of `{key}`", "write it as plain text of one line")
        else:
            return text
        return ""

    def _read_ids(self, node: Node | None, key: str) -> tuple[str, ...]:
        several = [] if node is None or node.is_null else _list(node)
        for each in several:
            if not each.is_scalar:
                self.wrong(each.line, f"{each.shown} where `{key}` names a concept", f"write `{key}: adjutant:…`")
        return tuple(dict.fromkeys(each.text for each in several if each.is_scalar))

    # -- S13, S14 and S27 of the SKOS reference, no circles, every id known, every workload there and on top ---------

    def _check(self, concepts: Sequence[Concept], line: int) -> None:
        """`line`: where the list of concepts begins."""
        known, called = {concept.id: concept for concept in concepts}, dict[tuple[str, str], str]()
        for top in TOPS:
            if top not in known:
                fix = f"add `{top}:` with a prefLabel; the nine workloads have to stay"
                self.wrong(line, f"the top concept `{top}` is missing", fix)
        above = {id: _find_above(id, known) for id in known}
        for concept in concepts:
            for language, label in concept.pref.items():
                if (first := called.setdefault((language, label.casefold()), concept.id)) != concept.id:
                    what = f"has the prefLabel `{label}` ({language}), and so has `{first}`"
                    self._wrong_of(concept, "prefLabel", what, "call one of the two something else")
            self._check_labels(concept)
            self._check_place(concept, known)
            self._check_circles(concept, above)

    def _wrong_of(self, concept: Concept, key: str, what: str, fix: str) -> None:
        """In the line of a key, or of the concept that lacks it."""
        self.wrong(concept.lines.get(key, concept.lines[""]), f"`{concept.id}` {what}", fix)

    def _check_labels(self, concept: Concept) -> None:
        if not concept.pref:
            self._wrong_of(concept, "prefLabel", "has no prefLabel", "say what it is called: `prefLabel: {en: …}`")
        kinds: dict[tuple[str, str], str] = {}
        for kind, language, label in concept.labels():
            if (first := kinds.setdefault((language, label), kind)) != kind:
                what = f"has `{label}` ({language}) in {first} and in {kind}"
                self._wrong_of(concept, kind, what, f"keep it in {first} alone")

    def _check_place(self, concept: Concept, known: Mapping[str, Concept]) -> None:
        for key, ids in (("broader", concept.broader), ("related", concept.related)):
            for id in ids:
                if id not in known:
                    fix = _hint(id, tuple(known), "add that concept, or take the name out")
                    self._wrong_of(concept, key, f"names `{id[:60]}` as {key}, which is no concept here", fix)
        if concept.id in concept.related:
            self._wrong_of(concept, "related", "is related to itself", "take it out of `related`")
        if concept.id in TOPS and concept.broader:
            self._wrong_of(concept, "broader", "is a top concept and has a broader one", "take its `broader` out")
        elif "/" in concept.id and not concept.broader:
            fix = f"add `broader: {concept.id.rpartition('/')[0]}`"
            self._wrong_of(concept, "broader", "has no broader concept", fix)

    def _check_circles(self, concept: Concept, above: Mapping[str, set[str]]) -> None:
        if concept.id in above[concept.id]:
            what = f"is broader than itself, by `{'`, `'.join(concept.broader)}`"
            self._wrong_of(concept, "broader", what, "take one `broader` of this circle out")
        for other in concept.related:
            if other in above[concept.id] or concept.id in above.get(other, ()):
                what = f"is related to `{other}`, which is also above or below it"
                self._wrong_of(concept, "related", what, "take it out of `related`: broader says it already")


def _hint(name: str, known: tuple[str, ...], else_: str) -> str:
    import difflib  # 7 ms, and mostly nothing is misspelt

    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean `{close[0]}`?" if close else else_


def _list(node: Node) -> list[Node]:
    return list(node.elements()) if node.is_list else [node]


def _find_above(id: str, known: Mapping[str, Concept]) -> set[str]:
    """skos:broaderTransitive: every concept above this one, itself where the hierarchy goes round."""
    found, left = set[str](), [id]
    while left:
        concept = known.get(left.pop())
        for broader in concept.broader if concept is not None else ():
            if broader not in found:
                found.add(broader)
                left.append(broader)
    return found
