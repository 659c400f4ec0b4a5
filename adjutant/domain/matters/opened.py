"""DOMAIN. A knowledge base opened for a run: its files listed, what changed read, any line of it to be had.

What was read of it and what a model was offered is kept between runs: only what changed is read, or shown, again.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from adjutant.app import plural
from adjutant.documents import document, folder
from adjutant.documents.folder import Entry, Limits, Scan, Skipped
from adjutant.documents.mail import is_single, may_be_mail
from adjutant.domain.matters import events, extract, threads
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.fact import Fact, Reading
from adjutant.errors import AdjutantError
from adjutant.language import pack
from adjutant.language.dates import custom_order
from adjutant.language.words import words
from adjutant.records import layers
from adjutant.records.registry import KnowledgeBase
from adjutant.store.config import Config
from adjutant.store.files import Files

FORM = 15  # of what is kept: raised when the rules that made it change
MOST_FACTS = 40_000  # of one knowledge base: what is kept of more would not fit into 400 MB
MOST_BYTES = 256 * 1024 * 1024
RACY_SECONDS = 0.1
STALE_DAYS = 60  # dates without a year are read again after so long
T = TypeVar("T")


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """The cache of one knowledge base: what made it, its readings, and the files that wait for their first look."""

    basis: str
    readings: list[Reading]
    waiting: list[str]


_DECODER = msgspec.msgpack.Decoder(Kept)  # made here: knowledge bases are read in threads, and making one is not safe


class Readings(msgspec.Struct, frozen=True):
    """All readings, in the order of their paths; `read`: paths that were read just now; `failed`: path and reason,
    no path for a count; `late`: how many are left for the next run, its time being up."""

    readings: list[Reading]
    read: list[str]
    failed: list[tuple[str, str]]
    late: int

    def fingerprint(self) -> str:
        """Changes when the content of any file does, or one comes or goes."""
        digest = hashlib.sha256()
        for each in self.readings:
            digest.update(f"{each.path}\0{each.sha}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


class Opened(msgspec.Struct):
    """A knowledge base's files, their readings, and what was left out and why; `order`: dmy or mdy of its figures."""

    kb: KnowledgeBase
    entries: list[Entry]
    found: Readings
    skipped: list[Skipped]
    limit: int
    order: str | None = None
    _texts: dict[str, list[str]] = msgspec.field(default_factory=dict)
    _by_path: dict[str, Entry] = msgspec.field(default_factory=dict)

    def lines(self, path: str) -> Sequence[str]:
        """The lines of a file as it is now; none when it cannot be read any more or is none of ours."""
        if path not in self._texts:
            if not self._by_path:
                self._by_path.update((each.path, each) for each in self.entries)
            entry = self._by_path.get(path)
            try:
                tail = self.kb.kind == "mail" and not is_single(path)
                text = folder.text_of(self.kb.folder, entry, self.limit, tail=tail) if entry is not None else ""
            except OSError:
                text = ""
            self._texts[path] = text.split("\n")
        return self._texts[path]


def limits_of(config: Config) -> Limits:
    """The caps on one knowledge base."""
    return Limits(
        files=config.whole("limits.files_per_kb"),
        file_bytes=config.whole("limits.bytes_per_file"),
        folder_bytes=config.whole("limits.bytes_per_kb"),
    )


def list_files(kb: KnowledgeBase, limits: Limits, named: int = folder.MAX_NAMED) -> Scan:
    """What there is to read in a knowledge base, nothing read. Raises OSError."""
    found = folder.scan(kb.folder, limits, kb.exclude, named=named, mail=kb.kind == "mail")
    ours = {"calendar": events.is_calendar, "mail": may_be_mail}.get(kb.kind)
    return found if ours is None else found._replace(entries=[each for each in found.entries if ours(each.path)])


def open_base(files: Files, config: Config, kb: KnowledgeBase, now: datetime, more: Callable[[int], bool]) -> Opened:
    """Lists a knowledge base and reads what changed. `more` is asked before each file, with its bytes: False when the
    run may read no more.

    Raises OSError when the folder cannot be read, Stopped.
    """
    limits = limits_of(config)
    limits = limits._replace(file_bytes=limits.folder_bytes) if kb.kind == "mail" else limits  # an mbox is one file
    scan, order = list_files(kb, limits), config.text_or_none("instance.date_order") or custom_order(now)
    found = refresh(
        files,
        kb,
        scan.entries,
        now,
        limit=limits.file_bytes,
        order=order,
        more=more,
        days=max(config.whole("heartbeat.horizon_days"), events.FORTNIGHT) if kb.kind == "calendar" else 0,
        own=layers.addresses(files, config) if kb.kind == "calendar" else (),
    )
    skipped = scan.skipped + [Skipped(path, reason, lost=True) for path, reason in found.failed]
    if found.late:
        used = "limits.run_seconds or limits.bytes_per_run are used up"
        skipped.append(Skipped("", f"{found.late} changed files wait for the next run ({used})", lost=True))
    return Opened(kb, scan.entries, found, skipped, limits.file_bytes, order)


def count_left_out(skipped: Sequence[Skipped]) -> str:
    """What limits and kinds of files left unread, counted; "" when everything was read."""
    parts = []
    for reason, count in Counter(each.reason for each in skipped if each.path).items():
        named = plural(count, "file")
        parts.append(f"{named} {reason}" if reason.startswith("read to") else f"{named} left out ({reason})")
    return "; ".join(parts + [each.reason for each in skipped if not each.path])


def refresh(
    files: Files,
    kb: KnowledgeBase,
    entries: Sequence[Entry],
    now: datetime,
    *,
    limit: int,
    order: str | None,
    more: Callable[[int], bool],
    days: int = 0,
    own: Collection[str] = (),
) -> Readings:
    """Brings the readings of a knowledge base up to date. `limit`: bytes a file; `days`: of a calendar, how many are
    looked ahead, 0 for other files; `own`: the operator's addresses.

    What changed is read newest first. `more` is asked before each file, with its bytes: False when the run's time or
    bytes are used up; it may raise Stopped.
    """
    mail, path = kb.kind == "mail", files.tree.readings(kb.name)
    form = f"{FORM} {mail} {events.form(now, days, own) if days or mail else ''}"
    basis = f"{form} {pack.digest()} {limit} {order} {kb.path}"
    known = _load(files, path, _DECODER)
    known = known if known is not None and known.basis == basis else None
    before = {each.path: each for each in known.readings} if known is not None else {}
    waited = frozenset(known.waiting) if known is not None else {each.path for each in entries}
    found, read, failed, waiting = list[Reading](), list[str](), list[tuple[str, str]](), list[str]()
    late, facts, beyond = 0, 0, 0
    texts: dict[str, str] = {}
    for entry in sorted(entries, key=lambda each: (-each.mtime_ns, each.path)):
        new = old = before.get(entry.path)
        if facts >= MOST_FACTS:
            beyond += 1
            continue
        if old is None or not _stands(old, entry, now):
            if more(min(entry.size, limit)):
                try:
                    text = folder.text_of(kb.folder, entry, limit, tail=mail and not is_single(entry.path))
                except OSError as error:
                    failed.append((entry.path, error.strerror or "cannot be read"))
                    continue
                seen = None if entry.path in waited else old.seen if old is not None else {}
                new = _read(entry, text, now, seen, order, mail=mail)
                texts[entry.path] = text if days else ""
                read.append(entry.path)
            else:
                late += 1
                waiting += [entry.path] if old is None and entry.path in waited else []
        if new is not None:
            found.append(new)
            facts += len(new.facts)
    if days:
        changed = [each for each in found if each.path in texts]
        made = {each.path: each for each in events.unfold(changed, texts, now, days, own)}
        found = [made.get(each.path, each) for each in found]
    if beyond:
        failed.append(("", f"{plural(beyond, 'older file')} beyond {MOST_FACTS} things that are open or done"))
    found.sort(key=lambda each: each.path)
    failed += [("", what) for what in dict.fromkeys(what for each in found for what in each.problems)]
    if read or known is None or len(found) != len(before):
        _save(files, path, Kept(basis, found, waiting))
    return Readings(found, read, failed, late)


def with_own(found: Sequence[Reading], names: Collection[str]) -> list[Reading]:
    """Readings in which what waits for the operator, by name, is a task of theirs, and what a table gives to others
    beside them is waited for."""
    own = cues().own.union(names)
    return [replace(each, facts=tuple(_facts_of(each.facts, own))) for each in found]


def _facts_of(facts: Sequence[Fact], own: frozenset[str]) -> Iterator[Fact]:
    shared = {fact.group for fact in facts if fact.basis == "row" and fact.who.lower() in own}
    for fact in facts:
        mine = not fact.who or fact.who.lower() in own
        if fact.kind == "waiting" and fact.basis == "plan" and mine:  # of minutes, as the next
            yield replace(fact, kind="deadline", basis="row")
        elif fact.basis == "plan" and fact.group < 0 and not own.isdisjoint(words(fact.what)):
            yield replace(fact, basis="sentence", dated=True)
        elif mine and fact.who and fact.kind == "waiting":
            yield replace(fact, kind="task", who="")
        elif not mine and fact.kind == "deadline" and fact.basis == "row" and fact.group in shared:
            yield replace(fact, kind="waiting")
        else:
            yield fact


def _stands(old: Reading, entry: Entry, now: datetime) -> bool:
    """Whether a file is as it was read: same size and time, and that time not so near that a change may hide in it."""
    same = (old.size, old.mtime_ns) == (entry.size, entry.mtime_ns)
    return same and not old.racy and (now.date() - old.read_on).days < (1 if old.recurs else STALE_DAYS)


def _read(
    entry: Entry, text: str, now: datetime, seen: dict[int, date | None] | None, order: str | None, *, mail: bool
) -> Reading:
    today, sha = now.date(), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    racy = abs(now.timestamp() - entry.mtime_ns / 1e9) < RACY_SECONDS
    made = Reading(entry.path, entry.size, entry.mtime_ns, today, (), {}, sha, racy)
    if mail:
        return replace(made, letters=threads.read(entry.path, text, now))
    changed = datetime.fromtimestamp(entry.mtime_ns / 1e9, now.tzinfo)
    doc = document.read(entry.path, text, near=today, order=order)
    got = extract.read(doc, today, min(changed.date(), today), seen, order)
    return replace(made, facts=got.facts, seen=got.seen, spans=got.absences)


def _load(files: Files, path: str, decoder: msgspec.msgpack.Decoder[T]) -> T | None:
    try:
        return decoder.decode(files.read(path, MOST_BYTES))
    except (OSError, AdjutantError, msgspec.DecodeError):
        return None  # a cache that cannot be used is simply not used


def _save(files: Files, path: str, kept: object) -> None:
    try:
        files.replace(path, msgspec.msgpack.encode(kept))
    except (OSError, AdjutantError):
        pass  # failing to write a cache is no error


# -- what a model was last offered: later looks show it only what changed since ----------------------------------


class Offered(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was then: the checksum of its text, and those of its lines."""

    sha: str
    lines: list[int]


_OFFERS = msgspec.msgpack.Decoder(tuple[str, dict[str, Offered]])  # what the answers of that time rested on, and files


def load_offered(files: Files, kb: str, basis: str) -> dict[str, Offered] | None:
    """What was offered on the same basis, None where nothing was: the look is the first."""
    kept = _load(files, files.tree.offered(kb), _OFFERS)
    return kept[1] if kept is not None and kept[0] == basis else None


def checksum(line: str) -> int:
    """By which a line is known again."""
    return zlib.crc32(line.strip().encode("utf-8", "surrogatepass"))


def save_offered(files: Files, base: Opened, basis: str, before: Mapping[str, Offered] | None) -> None:
    """All of a knowledge base as it is now; a file that is as it was is not read for it."""
    made: dict[str, Offered] = {}
    for reading in base.found.readings:
        old = (before or {}).get(reading.path)
        if old is None or old.sha != reading.sha:
            sums = {checksum(line) for line in base.lines(reading.path) if line.strip()}
            old = Offered(reading.sha, sorted(sums))
        made[reading.path] = old
    _save(files, files.tree.offered(base.kb.name), (basis, made))
