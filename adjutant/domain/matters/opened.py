"""DOMAIN. A knowledge base opened for a run: its files listed, what changed read, any line of it to be had."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from adjutant.documents import folder
from adjutant.documents.folder import Entry, Limits, Scan, Skipped
from adjutant.documents.mail import is_single, may_be_mail
from adjutant.domain.matters import events, readings
from adjutant.domain.matters.readings import Readings
from adjutant.language.dates import custom_order
from adjutant.records import layers
from adjutant.records.registry import KnowledgeBase
from adjutant.store.config import Config
from adjutant.store.files import Files


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
    found = readings.refresh(
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
        named = f"{count} file{'' if count == 1 else 's'}"
        parts.append(f"{named} {reason}" if reason.startswith("read to") else f"{named} left out ({reason})")
    return "; ".join(parts + [each.reason for each in skipped if not each.path])
