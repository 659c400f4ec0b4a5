"""DOMAIN. From a file to its documents: read once, hashed, damage named, secrets blotted out."""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b

from adjutant.domain.recall.places import NAMED, Collection, Listing, Places, Row
from adjutant.errors import AdjutantError
from adjutant.index_ports import Document
from adjutant.store import jsonl
from adjutant.store.files import sha256
from adjutant.store.index_tables import FileStamp

HASH = 32  # hex digits of the sha256 that a file is known by: in 128 bits chance makes no two alike
FRESH_NS = 2_000_000_000  # file systems count time in ticks, the coarsest of them in two seconds


class ReadFile:
    """One file as it is now: its documents, what to know it by, and what is `wrong` with it ("" for nothing). `kept`:
    its bytes begin with those known, and `documents` are only what the others make or change."""

    def __init__(self, documents: list[Document], seen: FileStamp, wrong: str = "", kept: bool = False) -> None:
        self.documents, self.seen, self.wrong, self.kept = documents, seen, wrong, kept

    @property
    def same(self) -> bool:
        """Nothing is to be done about its documents."""
        return self.kept and not self.documents


class SourceReader:
    """Turns the files of `places` into documents. `now_ns`: the machine's own time. `secrets`: {value: name}; no value
    reaches a document. `veil` changes with them: all is to be read again then; it is too short to tell any.
    `step(files)`: called before each file is read, with how many there were: to show it, and to stop by raising."""

    def __init__(
        self, places: Places, now_ns: int, secrets: Mapping[str, str], step: Callable[[int], None] | None = None
    ) -> None:
        self.places, self._now_ns, self._step, self._count = places, now_ns, step, 0
        written = dict[str, str]()  # each as it stands in a text, and in a line of JSON
        for value, name in secrets.items():
            forms = (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
            written |= dict.fromkeys(forms, name)
        told = {form: (form.encode("utf-8", "surrogateescape"), f"<{name}>".encode()) for form, name in written.items()}
        self._secrets = [told[form] for form in sorted(told, key=len, reverse=True)]
        values = sorted(value for value, _ in self._secrets)
        self.veil = blake2b(b"\0".join(values), digest_size=2).hexdigest()

    def listings(self, collection: Collection) -> Iterator[Listing]:
        """The files of a collection, folder by folder; in the order of their paths where that says whose an id is."""
        for source in collection.sources:
            if collection.key not in NAMED:
                yield from self.places.listings(source)
                continue
            for listing in sorted(self.places.listings(source), key=lambda listing: listing.folder):
                listing.rows.sort()
                yield listing

    def path(self, listing: Listing, row: Row) -> str:
        return self.places.show_path(f"{listing.folder}/{row[0]}")

    def read(
        self, listing: Listing, row: Row, known: FileStamp | None = None, most: int | None = None
    ) -> ReadFile | None:
        """A file as it is now, or its first `most` bytes; None when it is gone. Raises what `step` raises. What cannot
        be trusted to stay (a fresh file, one that cannot be read) is known by no time: it is read again."""
        self._count += 1
        if self._step is not None:
            self._step(self._count)
        name, size, changed = row
        try:
            data = self.places.files.read(f"{listing.folder}/{name}", listing.limit, cut=listing.cut)[:most]
        except FileNotFoundError:
            return None
        except AdjutantError as error:
            return ReadFile([], FileStamp(size, 0, ""), error.message)
        is_fresh = changed > self._now_ns - FRESH_NS  # it may change once more and keep the time it has
        seen = FileStamp(len(data), 0 if is_fresh else changed, sha256(data)[:HASH])
        if known is not None and known.sha == seen.sha:
            return ReadFile([], seen, kept=True)
        path = self.path(listing, row)
        if known is not None and listing.more is not None:
            before, since = data[: known.size], self._veil_secrets(data[known.size :])
            whole = before.endswith(b"\n") and sha256(before)[:HASH] == known.sha  # lines that stand there still
            if whole and not _bad_lines(path, since):
                more = listing.more(path, self._veil_secrets(before), since)
                if more is not None:
                    return ReadFile(more, seen, kept=True)
        data = self._veil_secrets(data)
        try:
            wrong = f"{path}: read to the first {listing.limit} bytes only" * (listing.cut and size > listing.limit)
            return ReadFile(listing.make(path, data, changed), seen, wrong or _bad_lines(path, data))
        except AdjutantError as error:
            return ReadFile([], seen, error.message)

    def _veil_secrets(self, data: bytes) -> bytes:
        for value, instead in self._secrets:
            data = data.replace(value, instead)
        return data


def _bad_lines(path: str, data: bytes) -> str:
    """What to say of a JSONL file with lines that are no records; the others are read."""
    bad = [number for number, record in jsonl.parse(data) if record is None] if path.endswith(".jsonl") else []
    more = f" ({len(bad)} such lines)" if len(bad) > 1 else ""
    return f"{path}:{bad[0]}: not a record{more}" if bad else ""
