"""STAGE. merge: joins what two machines wrote: conflict copies, the marks of git, a contract that was forked."""

import os
import re
from collections.abc import Callable

from adjutant.app import App, Args, Outcome, names, plural
from adjutant.domain.behavior import control
from adjutant.errors import CheckFailed, FileDamaged
from adjutant.store import copies, files, jsonl

OWN = names("pulse last_heartbeat schedule_state instance page_keys contract today cron_log outbox")
TOLLED = names("usage events")  # two equal lines are two
TEXTS = (".md", ".yaml", ".yml", ".json", ".txt")
MOST_BYTES = 1024 * 1024
FIX = "compare the two, keep what is right in the first and delete the copy; then `adjutant merge` again"
_ENTRY = re.compile(rb"(?m)^(?=## )")


def run(app: App, args: Args) -> Outcome:
    """{merged[{path, copy, told}], conflicts[{path, copy, told}]}; exit 1 while a conflict is left."""
    merge, tree = _Merge(app), app.tree
    for copy, path in copies.find(tree):
        merge.join(path, copy)
    merge.mend()
    for name in sorted(set(app.files.names(tree.pending)) & set(app.files.names(tree.sent))):
        app.files.remove(tree.pending_insight(name))  # what one machine told, and the other still has waiting
        merge.note(tree.pending_insight(name), "told by the other machine")
    merge.unite_contract()
    lines = [f"{each['path']}: {each['told']}" for each in (*merge.merged, *merge.conflicts)]
    result = {"dry_run": app.dry_run, "merged": merge.merged, "conflicts": merge.conflicts}
    why = f"{plural(len(merge.conflicts), 'conflict')} left for you to decide"
    error = CheckFailed(why, FIX) if merge.conflicts else None
    return Outcome(result, lines or ["merge: nothing to join"], error=error)


class _Merge:
    def __init__(self, app: App) -> None:
        self.app, self.files, self.tree = app, app.files, app.tree
        self.merged: list[dict[str, str]] = []
        self.conflicts: list[dict[str, str]] = []
        self._own = {getattr(app.tree, name) for name in OWN}

    def join(self, path: str, copy: str) -> None:
        """A conflict copy and the file it is one of. The copy goes when all of it is kept elsewhere."""
        shown = self.tree.relative(copy)
        try:
            theirs = self.files.read(copy)
            mine = self.files.read(path) if self.files.exists(path) else None
        except FileDamaged as error:
            self._leave(path, error.message, copy)
            return
        if mine is None:
            self._leave(path, f"only its copy is left ({shown}): moved or deleted here", copy)
        elif told := "the copy was the same" if mine == theirs else self._join_contents(path, copy, mine, theirs):
            self.note(path, told, copy)
            self.files.remove(copy)
        else:
            self._leave(path, f"another machine changed it too: {shown}", copy)

    def _join_contents(self, path: str, copy: str, mine: bytes, theirs: bytes) -> str:
        """What was done to have both, "" where only a person can."""
        folder, name = os.path.split(path)
        if self.tree.is_log(path):
            return self._add_lines(path, theirs)
        if folder == self.tree.journal:  # the entries of both, by their time (`## HH:MM`)
            head, *own = _ENTRY.split(mine.rstrip(b"\n") + b"\n\n")
            added = [each for each in _ENTRY.split(theirs.rstrip(b"\n") + b"\n\n") if each not in (head, *own)]
            every = sorted((*own, *filter(bytes.strip, added)), key=lambda entry: entry[:8])
            self.files.replace(path, head + b"".join(every), files.sha256(mine))
            return f"{plural(len(added), 'entry')} of the copy added"
        if path == self.tree.notify_count(name[-14:-4]):
            counts = [int(each) for each in (mine, theirs) if each.strip().isdigit()]
            self.files.replace(path, str(max(counts, default=0)), files.sha256(mine))
            return "the higher count stands"
        if path in self._own or folder == self.tree.hosts:
            return "each machine keeps its own; the copy was removed"
        if folder == self.tree.tasks:
            newer, older = sorted((mine, theirs), key=_read_time, reverse=True)
            self.files.replace(self.tree.conflict(os.path.basename(copy)), older)
            self.files.replace(path, newer, files.sha256(mine))
            return "the newer one stays; the other is in state/conflicts/"
        return ""

    def _add_lines(self, path: str, theirs: bytes) -> str:
        added: list[bytes] = []

        def change(data: bytes) -> bytes:
            known = set(data.split(b"\n"))
            added[:] = [line for line in theirs.split(b"\n") if line.strip() and line not in known]
            end = b"" if data.endswith(b"\n") or not data else b"\n"
            return data + end + b"".join(line + b"\n" for line in added)

        self._rewrite(path, change)
        return f"{plural(len(added), 'line')} of the copy added"

    def mend(self) -> None:
        """Takes out of JSON lines what stands twice and the marks of git; names other files that have such marks."""
        tolled = {getattr(self.tree, name) for name in TOLLED}
        for path in filter(self.files.exists, list(copies.paths(self.tree))):
            if self.tree.is_log(path):
                self._mend_lines(path, path in tolled)
            elif path.endswith(TEXTS):
                line = copies.find_marked_line(self.files.read(path)) if os.path.getsize(path) <= MOST_BYTES else 0
                if line:
                    self._leave(path, f"line {line}: git left a conflict here")

    def _mend_lines(self, path: str, tolled: bool) -> None:
        def change(data: bytes) -> bytes:
            plain = copies.without_marks(data)
            plain = plain if tolled else b"".join(dict.fromkeys(plain.splitlines(keepends=True)))
            # By their times, so that both machines come to one file; a torn last line waits for the next writer.
            numbers = [number for number, _ in jsonl.in_order(plain)]
            if not plain.endswith(b"\n") or numbers == sorted(numbers):
                return plain
            lines = plain.split(b"\n")
            return b"".join(lines[number - 1] + b"\n" for number in numbers)

        data = self.files.read(path)
        if (kept := change(data)) != data:
            self._rewrite(path, change)
            gone = data.count(b"\n") - kept.count(b"\n")
            out = f"{plural(gone, 'line')} taken out that stood twice or were marks of git"
            self.note(path, out if gone else "its lines put in the order of their times")

    def _rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """A dry run only looks what there would be to do."""
        if self.files.dry:
            change(self.files.read(path))
        else:
            self.files.rewrite(path, change)

    def unite_contract(self) -> None:
        """The directives of both machines; of two that contradict each other a person decides."""
        before = jsonl.read_object(self.files, self.tree.contract)
        made = control.apply(self.app).contract
        if before is not None and made.version != before.get("version"):
            self.note(self.tree.contract, f"version {made.version} has the directives of both machines")
        for number, each in enumerate(made.directives):
            for other in control.find_opposed(made.directives[:number], each.against, each.text):
                self._leave(self.tree.contract, f"`{each.line}` ({each.id}) contradicts `{other.line}` ({other.id})")

    def note(self, path: str, told: str, copy: str = "") -> None:
        self.merged.append({"path": self.tree.relative(path), "copy": self.tree.relative(copy), "told": told})

    def _leave(self, path: str, told: str, copy: str = "") -> None:
        self.conflicts.append({"path": self.tree.relative(path), "copy": self.tree.relative(copy), "told": told})


def _read_time(data: bytes) -> bytes:
    found = re.search(rb'"updated": *"([^"]*)"', data)
    return found[1] if found else b""
