"""DOMAIN. The concept scheme: its concepts and labels, its file read and checked, the same as SKOS."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from adjutant.errors import TaxonomyInvalid, UsageError
from adjutant.ports import WORKLOADS
from adjutant.store import package
from adjutant.store.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.store.marked_yaml import Node

PREFIX, SCHEME = "adjutant:", "adjutant:work"
TOPS = tuple(PREFIX + name for name in WORKLOADS)
SHIPPED, COMPILED = "taxonomy.yaml", "taxonomy.json"  # the package's own scheme, and the same as it was once read
MAX_BYTES = 1024 * 1024
LABELS = ("prefLabel", "altLabels", "hiddenLabels")


class Concept(NamedTuple):
    """A concept: `labels` {kind of LABELS: {language: texts}}, `notes` {language: text}, ids of broader and related."""

    id: str
    labels: Mapping[str, Mapping[str, tuple[str, ...]]]
    notes: Mapping[str, str]
    broader: tuple[str, ...]
    related: tuple[str, ...]

    def label(self) -> str:
        pref = self.labels["prefLabel"]
        return pref["en"][0] if "en" in pref else next(iter(pref.values()))[0]

    def list_labels(self) -> Iterator[tuple[str, str, str]]:
        for kind, languages in self.labels.items():
            yield from ((kind, language, label) for language, several in languages.items() for label in several)


class Scheme:
    """A valid concept scheme: every id in `concepts` is known, and the hierarchy has no circles."""

    def __init__(self, pref: Mapping[str, str], concepts: Iterable[Concept]) -> None:
        self.pref, self.concepts = pref, {concept.id: concept for concept in concepts}

    def tops(self) -> list[str]:
        return [concept.id for concept in self.concepts.values() if not concept.broader]

    def narrower(self, id: str) -> list[str]:
        return [each.id for each in self.concepts.values() if id in each.broader]

    def expand(self, id: str) -> tuple[str, ...]:
        """The concept and all below it, each once: what a filter by this concept lets through."""
        return (id, *_reach(id, self.narrower))

    def tops_of(self, id: str) -> tuple[str, ...]:
        """The top concepts that this one belongs to; itself when it is one."""
        above = (id, *_reach(id, lambda each: self.concepts[each].broader))
        return tuple(each for each in above if not self.concepts[each].broader)

    def find(self, name: str) -> str | None:
        """The id of `adjutant:platform/k8s` or `platform/k8s`; None for any other text."""
        wanted = name.strip()
        return next((id for id in (wanted, PREFIX + wanted.lower()) if id in self.concepts), None)

    def resolve(self, name: str) -> str:
        """As `find`. Raises UsageError for what is no concept of the scheme."""
        found = self.find(name)
        if found is None:
            hint = _hint(name.strip().removeprefix(PREFIX).lower(), [id.removeprefix(PREFIX) for id in self.concepts])
            message = f"`{name[:60]}` is no concept of the taxonomy{hint and f'; {hint}'}"
            raise UsageError(message, "`adjutant taxonomy list` names them")
        return found


class FileProblem(NamedTuple):
    """What is wrong with a taxonomy or a skill, in which line of which file, and what to do."""

    path: str
    line: int
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def load(files: Files) -> Scheme:
    """The instance's own scheme, else the package's. Raises TaxonomyInvalid with file and line, FileDamaged."""
    scheme, problems = _read(*source(files))
    if problems:
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
    return _read(package.read("instance", SHIPPED), SHIPPED)[0]


def problems(data: bytes, shown: str) -> list[FileProblem]:
    """Everything that is wrong with a taxonomy file, by line; [] for a valid one."""
    return [*_read(data, shown)[1]]


def compile_scheme(data: bytes) -> bytes:
    """A valid scheme as it is read fast: the sha256 of its bytes on the first line, then JSON."""
    scheme = SchemeReader(SHIPPED).read(data)
    held = msgspec.json.encode([scheme.pref, list(scheme.concepts.values())])
    return f"{sha256(data).hexdigest()}\n".encode() + held + b"\n"


@lru_cache(maxsize=4)
def _read(data: bytes, shown: str) -> tuple[Scheme, list[FileProblem]]:
    """The scheme, which is valid where there are no problems."""
    sha, _, held = package.read("instance", COMPILED).partition(b"\n")
    if sha.decode() == sha256(data).hexdigest():  # the package's own, in a tenth of the time: most instances keep it
        return Scheme(*msgspec.json.decode(held, type=tuple[dict[str, str], list[Concept]])), []
    reader = SchemeReader(shown)
    return reader.read(data), sorted(reader.problems, key=lambda problem: problem.line)


def _reach(id: str, step: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """All that `step` leads to from here, each once; the beginning itself where it goes round."""
    found, left = dict[str, None](), [id]
    while left:
        new = [each for each in step(left.pop()) if each not in found]
        found.update(dict.fromkeys(new))
        left += new
    return tuple(found)


def _hint(name: str, known: Iterable[str]) -> str:
    import difflib  # 7 ms, and mostly nothing is misspelt

    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else ""


# -- an edited scheme, read from YAML and checked by SKOS: what is wrong, in which line, what to do -------------
KEYS = (*LABELS, "scopeNote", "broader", "related")
_ID = re.compile(r"adjutant:[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class SchemeReader:
    """Reads one file and collects what is wrong with it. `_lines`: {id: {key: line}}, the concept's own under ""."""

    def __init__(self, shown: str) -> None:
        self.shown, self.problems, self._lines = shown, list[FileProblem](), dict[str, dict[str, int]]()

    def _say(self, line: int, message: str, fix: str) -> None:
        self.problems.append(FileProblem(self.shown, line, message, fix))

    def read(self, data: bytes) -> Scheme:
        from adjutant.store import marked_yaml  # yaml, 20 ms: only for a scheme that was edited

        try:
            root = marked_yaml.mapping(data, self.shown, max_depth=6)
        except marked_yaml.Broken as error:
            _, number, message = str(error).split(":", 2)
            self._say(int(number), message.strip(), "mend the YAML of this line")
            return Scheme({}, ())
        fields = self._read_fields(root, ("scheme", "prefLabel", "concepts"), "the scheme")
        named, listed = fields.get("scheme"), fields.get("concepts")
        if named is None or named.text != SCHEME:
            fix = f"write `scheme: {SCHEME}` as the first line"
            self._say(named.line if named is not None else 1, f"the scheme is not `{SCHEME}`", fix)
        pref = self._read_text_each(fields, "prefLabel")
        if listed is None or not listed.is_mapping:
            fix = "write `concepts:` with one `adjutant:…:` entry a concept below it"
            self._say(listed.line if listed is not None else 1, "there is no mapping `concepts`", fix)
            return Scheme({}, ())
        concepts = {id: self._read_concept(id, node) for id, node in listed.items()}
        self._check(concepts, listed.key_line)
        return Scheme(pref, concepts.values())

    def _read_concept(self, id: str, node: Node) -> Concept:
        if not _ID.fullmatch(id) or id == SCHEME:
            fix = "write `adjutant:` and lower-case words, e.g. `adjutant:platform/k8s`"
            self._say(node.key_line, f"`{id[:60]}` is no id of a concept", fix)
        if not node.is_mapping:
            self._say(node.key_line, f"`{id[:60]}` holds {node.shown}", f"give it {', '.join(KEYS[:4])} …")
        fields = self._read_fields(node, KEYS, id)
        self._lines[id] = {"": node.key_line, **{key: inner.key_line for key, inner in fields.items()}}
        labels = {kind: self._read_texts(fields, kind, single=kind == "prefLabel") for kind in LABELS}
        above, related = (self._read_ids(fields, key) for key in ("broader", "related"))
        return Concept(id, labels, self._read_text_each(fields, "scopeNote"), above, related)

    def _read_fields(self, node: Node, known: tuple[str, ...], where: str) -> dict[str, Node]:
        fields = dict(node.items()) if node.is_mapping else {}
        for key in fields.keys() - known:
            fix = _hint(key, known) or f"take it out; {where} has {', '.join(known)}"
            self._say(fields[key].key_line, f"unknown key `{key[:40]}` in {where[:60]}", fix)
        return {key: inner for key, inner in fields.items() if not inner.is_null}

    def _read_texts(self, fields: Mapping[str, Node], key: str, *, single: bool) -> dict[str, tuple[str, ...]]:
        """{language: texts} of `key: {en: …}`; `single`: there is one of each language."""
        node, found = fields.get(key), dict[str, tuple[str, ...]]()
        if node is not None and not node.is_mapping:
            self._say(node.line, f"`{key}` holds {node.shown}", f"give the language: `{key}: {{en: …}}`")
        for language, inner in node.items() if node is not None and node.is_mapping else ():
            texts = tuple(text for each in _list(inner) if (text := self._read_text(each, key)))
            if not _LANGUAGE.fullmatch(language):
                self._say(inner.key_line, f"`{language[:20]}` is no language tag", "write en, nb, de, en-GB …")
            elif single and inner.is_list:
                fix = "keep one and move the others to altLabels"
                self._say(inner.line, f"more than one {key} for `{language}`", fix)
            elif texts:
                found[language] = texts
        return found

    def _read_text_each(self, fields: Mapping[str, Node], key: str) -> dict[str, str]:
        return {language: text for language, (text, *_) in self._read_texts(fields, key, single=True).items()}

    def _read_text(self, node: Node, key: str) -> str:
        text = "" if node.is_null else node.text.strip()
        if not text:
            self._say(node.line, f"{node.shown} where a text of `{key}` belongs", "write a word or a short phrase")
        elif _UNPRINTABLE.search(text):
            self._say(node.line, f"a control character in a text of `{key}`", "write it as plain text of one line")
            text = ""
        return text

    def _read_ids(self, fields: Mapping[str, Node], key: str) -> tuple[str, ...]:
        several = _list(fields[key]) if key in fields else []
        for each in several:
            if not each.is_scalar:
                self._say(each.line, f"{each.shown} where `{key}` names a concept", f"write `{key}: adjutant:…`")
        return tuple(dict.fromkeys(each.text for each in several if each.is_scalar))

    def _check(self, known: Mapping[str, Concept], line: int) -> None:
        # S13, S14 and S27 of the SKOS reference, no circles, every id known, every workload there and on top
        for top in (top for top in TOPS if top not in known):
            fix = f"add `{top}:` with a prefLabel; the nine workloads have to stay"
            self._say(line, f"the top concept `{top}` is missing", fix)
        above = {id: set(_reach(id, lambda each: known[each].broader if each in known else ())) for id in known}
        called = dict[tuple[str, str], str]()
        for id, concept in known.items():
            lines = self._lines[id]
            for key, what, fix in (*_check_labels(concept, called), *_check_place(concept, known, above)):
                self._say(lines.get(key, lines[""]), f"`{id}` {what}", fix)


Wrong = Iterator[tuple[str, str, str]]  # the key in whose line it is, or that lacks; what is wrong; what to do


def _check_labels(concept: Concept, called: dict[tuple[str, str], str]) -> Wrong:
    if not concept.labels["prefLabel"]:
        yield "prefLabel", "has no prefLabel", "say what it is called: `prefLabel: {en: …}`"
    kinds: dict[tuple[str, str], str] = {}
    for kind, language, label in concept.list_labels():
        if (first := kinds.setdefault((language, label), kind)) != kind:
            yield kind, f"has `{label}` ({language}) in {first} and in {kind}", f"keep it in {first} alone"
        other = called.setdefault((language, label.casefold()), concept.id) if kind == "prefLabel" else concept.id
        if other != concept.id:
            what = f"has the prefLabel `{label}` ({language}), and so has `{other}`"
            yield kind, what, "call one of the two something else"


def _check_place(concept: Concept, known: Mapping[str, Concept], above: Mapping[str, set[str]]) -> Wrong:
    id = concept.id
    for key, others in (("broader", concept.broader), ("related", concept.related)):
        for other in (each for each in others if each not in known):
            fix = _hint(other, known) or "add that concept, or take the name out"
            yield key, f"names `{other[:60]}` as {key}, which is no concept here", fix
    if id in concept.related:
        yield "related", "is related to itself", "take it out of `related`"
    if id in TOPS and concept.broader:
        yield "broader", "is a top concept and has a broader one", "take its `broader` out"
    elif "/" in id and not concept.broader:
        yield "broader", "has no broader concept", f"add `broader: {id.rpartition('/')[0]}`"
    if id in above[id]:
        what = f"is broader than itself, by `{'`, `'.join(concept.broader)}`"
        yield "broader", what, "take one `broader` of this circle out"
    for other in (each for each in concept.related if each in above[id] or id in above.get(each, ())):
        what = f"is related to `{other}`, which is also above or below it"
        yield "related", what, "take it out of `related`: broader says it already"


def _list(node: Node) -> list[Node]:
    return list(node.elements()) if node.is_list else [node]


# -- as SKOS, in Turtle or JSON-LD: one list of what it says, two ways to write it down ------------------------------
# https://www.w3.org/TR/skos-reference/, https://www.w3.org/TR/turtle/, https://www.w3.org/TR/json-ld11/
FORMATS = ("turtle", "jsonld")
NAMESPACE = "urn:adjutant:"
SKOS = "http://www.w3.org/2004/02/skos/core#"
Literal = tuple[str, str]  # a text and its language, "" for none
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def describe(scheme: Scheme) -> dict[str, dict[str, list[str | Literal]]]:
    """{subject: {property of SKOS: objects}} of all the scheme says, in both directions; "a" is a class of SKOS."""
    called: list[str | Literal] = [(label, language) for language, label in scheme.pref.items()]
    found = dict[str, dict[str, list[str | Literal]]]()
    found[SCHEME] = {"a": ["ConceptScheme"], "prefLabel": called, "hasTopConcept": [*scheme.tops()]}
    related = {frozenset((id, other)) for id, concept in scheme.concepts.items() for other in concept.related}
    for id, concept in scheme.concepts.items():
        said = found[id] = {"a": ["Concept"], "inScheme": [SCHEME], "topConceptOf": [] if concept.broader else [SCHEME]}
        said["notation"] = [(id.removeprefix(PREFIX), "")]
        for kind, language, label in concept.list_labels():
            said.setdefault(kind.removesuffix("s"), []).append((label, language))
        said["scopeNote"] = [(text, language) for language, text in concept.notes.items()]
        said |= {"broader": [*concept.broader], "narrower": [*scheme.narrower(id)]}
        said["related"] = [each for each in scheme.concepts if {id, each} in related]
    return {id: {name: objects for name, objects in said.items() if objects} for id, said in found.items()}


def export(scheme: Scheme, format: str) -> str:
    """The scheme as text of one of FORMATS, the same bytes for the same scheme."""
    blocks, nodes = [f"@prefix skos: <{SKOS}> ."], list[dict[str, Any]]()
    for subject, said in describe(scheme).items():
        kind = f"skos:{said.pop('a')[0]}"
        lines = [f"skos:{name} " + ",\n        ".join(map(_term, objects)) for name, objects in said.items()]
        blocks.append(f"{_term(subject)}\n    " + " ;\n    ".join([f"a {kind}", *lines]) + " .")
        values = {f"skos:{name}": list(map(_value, objects)) for name, objects in said.items()}
        nodes.append({"@id": subject, "@type": kind, **values})
    if format == "turtle":
        return "\n\n".join(blocks) + "\n"
    context = {"skos": SKOS, PREFIX.removesuffix(":"): NAMESPACE}
    return json.dumps({"@context": context, "@graph": nodes}, ensure_ascii=False, indent=1) + "\n"


def _term(object: str | Literal) -> str:
    """An IRI or a text as Turtle writes it; what an id may hold needs no escaping."""
    if isinstance(object, tuple):
        text, language = object
        return f'"{text.translate(_ESCAPES)}"' + (f"@{language}" if language else "")
    return f"<{NAMESPACE}{object.removeprefix(PREFIX)}>"


def _value(object: str | Literal) -> dict[str, str]:
    if isinstance(object, tuple):
        text, language = object
        return {"@value": text} | ({"@language": language} if language else {})
    return {"@id": object}
