"""GROUND. What an index of documents is to be, whoever holds it: in the folder, on a server, with meanings."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Document(NamedTuple):
    """Something that can be found. `id` is unique in its `collection`; times are ISO-8601 with offset, "" when unknown.
    `path`: relative to the instance, absolute outside it; `anchor`: a heading, line or record in it, "" for the whole.
    `source_sha`: sha256 of what this document was made from. `trust`: operator, agent or untrusted. `context`: what
    stands around it (neighbouring messages), a field of lower weight. `names`: who spoke, and words for the day, both
    searched. `group`: what belongs together (a session). `level`: 0 for a source, 1 to 3 for day, week, month made from
    it."""

    id: str
    collection: str
    title: str
    text: str
    path: str
    anchor: str = ""
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trust: str = "operator"
    created_at: str = ""
    updated_at: str = ""
    source_sha: str = ""
    context: str = ""
    names: str = ""
    group: str = ""
    level: int = 0
    superseded: bool = False


class Query(NamedTuple):
    """What is looked for: any text at all, in these collections; `concepts` already holds the narrower ones. `since`:
    ISO date or time, "" for always. `now`: ISO time, for recency. `concept`: what the query itself is about. `tag`: one
    that a document must have. `but`: the path of a conversation that is left out. `level`: the highest level of
    summaries wanted. `wider`: words that mean much the same are looked for, too."""

    text: str
    collections: tuple[str, ...]
    concepts: tuple[str, ...] = ()
    since: str = ""
    limit: int = 8
    now: str = ""
    concept: str = ""
    tag: str = ""
    but: str = ""
    level: int = 3
    wider: bool = False


class Hit(NamedTuple):
    """A document found, its score (comparable within one answer), and why: terms, fields, concept, prior, rules."""

    document: Document
    score: float
    why: dict[str, Any]


HOW_TO_PART = "change the `instance.name` of one, or, if it is gone, `adjutant index` by hand"


class Owner(Protocol):
    """The id of an instance, 12 hex digits, by which a server's documents are known as its own."""

    def read(self) -> str: ...  # "" where nothing was put on a server yet
    def make(self) -> str: ...  # makes and keeps one where there is none


class ServerIndex(Protocol):
    """A mirror on a server, which may be away, hold less than it should, or what somebody else has put there. Whatever
    asks it raises MirrorUnavailable. What another instance of the same name put there is never touched: `counts`,
    `fingerprints`, `upsert` and `rebuild` raise MirrorDiffers then. One of them goes before every `find_holders` and
    `delete`.

    Documents are known by (collection, id). `find_holders`: {collection: ids} that hold a token, of each token and
    collection the first of them. `find_altered`: the ids of these that are there otherwise than they were put, whatever
    fingerprint they bear. `rebuild`: everything anew at one stroke; searches meanwhile see the old.
    """

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str: ...  # host and port, for people
    def upsert(self, documents: Iterable[Document]) -> int: ...  # how many
    def delete(self, collection: str, ids: Iterable[str]) -> int: ...  # how many
    def rebuild(self, documents: Iterable[Document]) -> int: ...  # how many
    def fingerprints(self, collection: str) -> dict[str, str]: ...  # {id: source_sha} of what is there
    def counts(self) -> dict[str, int]: ...  # {collection: documents} of those that were ever filled
    def find_holders(self, query: Query, tokens: Sequence[str], *, beginnings: bool) -> dict[str, set[str]]: ...
    def find_altered(self, collection: str, documents: Iterable[Document]) -> set[str]: ...
    def version(self) -> str: ...  # raises MirrorUnavailable also when this one cannot be used
    def hurry(self) -> None: ...  # all that is asked from now on may together take as long as one request
    def take_over(self) -> bool: ...  # what another instance put there is this one's; True when there was such
    def close(self) -> None: ...


class Embedder(Protocol):
    """A model that places texts by what they mean."""

    @property
    def name(self) -> str: ...  # another one for another model: vectors of two have nothing in common
    def embed(self, texts: Sequence[str]) -> list[bytes]: ...  # a vector for each text, any text at all
    def likeness(self, vector: bytes, others: Sequence[bytes]) -> list[float]: ...  # 1: the same, 0: nothing in common
