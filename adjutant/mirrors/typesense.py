"""OUTSIDE. Typesense: the words of documents on a server or a cluster of the operator's, many searches in one request.

It is asked which documents hold a word, and for nothing that is shown: others may write there.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar

from adjutant.errors import MirrorDiffers, MirrorUnavailable
from adjutant.index_ports import HOW_TO_PART, Document, Owner, Query
from adjutant.mirrors.typesense_server import Missing, TypesenseServer
from adjutant.store import index_tables as tables
from adjutant.store import package

T = TypeVar("T")
BATCH = 1000
KEYS = 100  # of one filter: the address of a request is at most 4,000 characters long
SEARCHES = 50  # of one multi_search, which the server refuses to exceed
SEARCHED = ("s_title", "s_text", "s_tags", "s_names", "s_context")
TRUSTED = {"operator": 2, "agent": 1}
# What is kept of a document, and how a search for one word is asked, of which the ids alone come back.
_SAID = json.loads(package.text("mirrors", "typesense.json"))
FIELDS, EXACTLY = _SAID["fields"], _SAID["exactly"]
# Part of the name of what is behind an alias: what another release laid out otherwise is filled anew.
# And of whom it is, so that two instances of one name never take each other's for their own.
LAYOUT = blake2b(repr((FIELDS, 3)).encode(), digest_size=4).hexdigest()
REAL = r"_[0-9a-f]{8}_([0-9a-f]{12})_[0-9a-f]{12}"  # behind an alias: layout, owner, random


class Typesense(TypesenseServer):
    """A ServerIndex. Each of `collections` is an alias `<instance>_<collection>` of what the last rebuild made; one
    that lacks was never filled, or is not ready again after a start: that is MirrorUnavailable, not an empty answer.
    `tokens` gives the words of a text as the server is to know them."""

    name = "typesense"

    def __init__(
        self,
        nodes: list[str],
        key: str,
        timeout: float,
        instance: str,
        collections: Iterable[str],
        owner: Owner,
        tokens: Callable[[str], list[str]],
    ) -> None:
        super().__init__(nodes, key, timeout)
        self._owner, self._tokens = owner, tokens
        self._prefix = re.sub(r"[^A-Za-z0-9_-]", "-", instance)
        self._names = {collection: self._alias(collection) for collection in collections}

    def counts(self) -> dict[str, int]:
        aliases, sizes = self._aliases(), self._sizes()
        return {name: sizes[real] for name, alias in self._names.items() if (real := aliases.get(alias, "")) in sizes}

    def fingerprints(self, collection: str) -> dict[str, str]:
        rows = self._rows(collection, {"include_fields": "id,source_sha"})
        return {id: row.get("source_sha", "") for id, row in rows.items()}

    def find_altered(self, collection: str, documents: Iterable[Document]) -> set[str]:
        held = self._rows(collection, {})
        wanted = ((each.id, _row(each, self._tokens)) for each in map(tables.clean, documents))
        return {id for id, row in wanted if id in held and held[id] != row}

    def _rows(self, collection: str, wanted: dict[str, Any]) -> dict[str, dict[str, Any]]:
        text, real = "", self._aliases().get(self._alias(collection))
        if real is not None:
            with suppress(Missing):
                text = self.call("get", f"/collections/{real}/documents/export", str, share=1.0, params=wanted)
        rows = map(json.loads, text.split("\n") if text else [])
        return self.understand(lambda: {row["id"]: dict(row) for row in rows})

    def upsert(self, documents: Iterable[Document]) -> int:
        """Adds or replaces; how many. Makes the collections that are not there. One that is refused is an error."""
        there, real = self._aliases(), self._sizes()
        missing = [alias for alias in self._names.values() if there.get(alias) not in real]  # or lead to nothing
        for alias in missing:
            self._turn(alias, self._create(alias))
        if missing:
            self._sweep(set(self._aliases().values()))
        return self._fill(documents, self._alias)

    def delete(self, collection: str, ids: Iterable[str]) -> int:
        gone, left = 0, iter(ids)
        while some := list(islice(left, KEYS)):
            address, keys = f"/collections/{self._alias(collection)}/documents", ",".join(str(_key(id)) for id in some)
            try:
                gone += int(self.call("delete", address, dict, params={"filter_by": f"key:[{keys}]"})["num_deleted"])
            except Missing:
                return gone
        return gone

    def rebuild(self, documents: Iterable[Document]) -> int:
        """Everything anew; the aliases are turned when all is there, and what was there before is dropped."""
        self.probe()
        self._aliases()
        self._sizes()
        fresh = {name: self._create(alias) for name, alias in self._names.items()}
        count = self._fill(documents, fresh.__getitem__)
        for name, alias in self._names.items():
            self._turn(alias, fresh[name])
        self._sweep(set(fresh.values()))
        return count

    def _turn(self, alias: str, real: str) -> None:
        self.call("put", f"/aliases/{alias}", dict, body={"collection_name": real})

    def take_over(self) -> bool:
        """Lets go of what another instance of the same name filled; the next `upsert` or `rebuild` makes it anew."""
        self._sizes()
        owner = self._owner.read()
        others = [alias for alias, real in self._every_alias().items() if self._owner_of(alias, real) != owner]
        for alias in others:
            self.call("delete", f"/aliases/{alias}", dict, params={})
        return bool(others)

    def _fill(self, documents: Iterable[Document], place: Callable[[str], str]) -> int:
        waiting, count = dict[str, list[Document]](), 0
        for document in documents:
            waiting.setdefault(document.collection, []).append(document)
            if len(waiting[document.collection]) == BATCH:
                count += self._import(place(document.collection), waiting.pop(document.collection))
        return count + sum(self._import(place(name), batch) for name, batch in waiting.items())

    def _import(self, real: str, documents: list[Document]) -> int:
        """One request; the answer has a line a document, with a status of 200 for the whole whatever they say."""
        rows = list({document.id: document for document in documents}.values())
        address, share = f"/collections/{real}/documents/import", len(rows) / BATCH
        try:
            lines = (json.dumps(_row(tables.clean(each), self._tokens), ensure_ascii=False) for each in rows)
            data = "\n".join(lines).encode("utf-8", "replace")
            told = self.call("post", address, str, share=share, params={"action": "upsert"}, body=data)
        except Missing:
            raise self.empty() from None  # dropped since it was looked for
        answers = self.understand(lambda: [json.loads(line) for line in told.split("\n")])
        bad = [str(each.get("error", "no reason"))[:200] for each in answers if each.get("success") is not True]
        if bad or len(answers) != len(rows):
            taken, why = len(answers) - len(bad), bad[0] if bad else "cut off"
            raise MirrorUnavailable(f"typesense took {taken} of {len(rows)} documents: {why}")
        return len(documents)

    def _create(self, alias: str) -> str:
        real = f"{alias}_{LAYOUT}_{self._owner.make()}_{os.urandom(6).hex()}"
        self.call("post", "/collections", dict, as_json=True, body={"name": real, "fields": FIELDS})
        return real

    def _sweep(self, kept: set[str]) -> None:
        """Drops collections of this instance that no alias leads to: older ones, and those of a cut-off rebuild."""
        ours = re.compile("|".join(re.escape(alias) + REAL for alias in self._names.values()))
        for name in self._sizes().keys() - kept:
            if ours.fullmatch(name):
                with suppress(Missing):  # another index was faster
                    self.call("delete", f"/collections/{name}", dict, params={})

    def find_holders(self, query: Query, tokens: Sequence[str], *, beginnings: bool) -> dict[str, set[str]]:
        pairs = [(token, collection) for token in tokens for collection in query.collections]
        base = {**EXACTLY, "prefix": beginnings, "filter_by": _filters(query)}
        found = {collection: set[str]() for collection in query.collections}

        def take() -> None:
            for first in range(0, len(pairs), SEARCHES):
                some = pairs[first : first + SEARCHES]
                asked = [{**base, "collection": self._alias(collection), "q": token} for token, collection in some]
                for (_, collection), answer in zip(some, self.multi_search(asked), strict=True):
                    found[collection].update(str(hit["document"]["id"]) for hit in answer["hits"])

        self.understand(take)
        return found

    def _alias(self, collection: str) -> str:
        return f"{self._prefix}_{collection}"

    def _sizes(self) -> dict[str, int]:
        """{collection: documents} of the whole server. Raises MirrorDiffers where one bears an alias's name."""
        told = self.call("get", "/collections", list)
        sizes = self.understand(lambda: {str(each["name"]): int(each["num_documents"]) for each in told})
        for alias in sizes.keys() & set(self._names.values()):
            raise self._foreign(alias)
        return sizes

    def _aliases(self) -> dict[str, str]:
        """{alias: what is behind it} of this layout. Raises MirrorDiffers where one is another's."""
        every, owner = self._every_alias(), self._owner.read()
        for alias, real in every.items():
            if self._owner_of(alias, real) != owner:
                raise self.differs(f"`{alias}` is filled by another instance of this name: {HOW_TO_PART}")
        return {alias: real for alias, real in every.items() if real.startswith(f"{alias}_{LAYOUT}_")}

    def _every_alias(self) -> dict[str, str]:
        told = self.call("get", "/aliases", dict)
        every = self.understand(lambda: {each["name"]: str(each["collection_name"]) for each in told["aliases"]})
        return {alias: every[alias] for alias in self._names.values() if alias in every}

    def _owner_of(self, alias: str, real: str) -> str:
        """Raises MirrorDiffers for what is no instance's at all."""
        found = re.fullmatch(re.escape(alias) + REAL, real)
        if found is None:
            raise self._foreign(alias)
        return found[1]

    def _foreign(self, alias: str) -> MirrorDiffers:
        return self.differs(f"`{alias}` is there and was not made by adjutant: choose another `instance.name`")


def _key(name: str) -> int:
    """A number for an id: ids are any text, and a filter has no way to quote some characters."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _filters(query: Query) -> str:
    concepts = ",".join(f"`{concept}`" for concept in query.concepts if "`" not in concept)
    found = {
        f"tags:=[`{query.tag.replace('`', '')}`]": query.tag,
        f"group:!=`{query.but.replace('`', '')}`": query.but,
        f"concepts:=[{concepts}]": query.concepts,
        f"created:>={tables.seconds(query.since)}": query.since,
    }
    return " && ".join(["superseded:=false", f"level:<={query.level}", *(each for each in found if found[each])])


def _row(document: Document, tokens: Callable[[str], list[str]]) -> dict[str, Any]:
    kept = ("id", "concepts", "tags", "trust", "group", "level", "superseded", "source_sha")
    row = {name: list(value) if isinstance(value := getattr(document, name), tuple) else value for name in kept}
    searched = (document.title, document.text, " ".join(document.tags), document.names, document.context)
    fields = {name: " ".join(tokens(text)) for name, text in zip(SEARCHED, searched, strict=True)}
    trusted = TRUSTED.get(document.trust, 0)
    return {**row, **fields, "key": _key(document.id), "created": tables.measure(document)[0], "trusted": trusted}
