"""The embedded index, filled with documents one by one as a mirror on a server is."""

from __future__ import annotations

from collections.abc import Iterable

from adjutant.index_ports import Document
from adjutant.store.index import Index
from adjutant.store.index_tables import FileStamp

SEEN = FileStamp(10, 20, "ab" * 32)


class PutIndex(Index):
    """An index that takes documents beside files."""

    def upsert(self, documents: Iterable[Document]) -> int:
        """Adds or replaces by (collection, id); how many."""
        files = _by_file(documents)
        held = _by_file(each for name in {collection for collection, _ in files} for each in self.documents(name))
        for file, wanted in files.items():
            self.put_file(*file, SEEN, (held.get(file, {}) | wanted).values())
        return sum(map(len, files.values()))

    def delete(self, collection: str, ids: Iterable[str]) -> int:
        """Takes away what is there of these; how many."""
        gone = self.owners(collection, list(ids))
        held = _by_file(self.documents(collection))
        for path in set(gone.values()):
            self.put_file(
                collection, path, SEEN, [each for id, each in held[collection, path].items() if id not in gone]
            )
        return len(gone)

    def rebuild(self, documents: Iterable[Document]) -> int:
        """Everything anew at one stroke; how many."""
        return self.rebuild_files((*file, SEEN, each.values()) for file, each in _by_file(documents).items())


def _by_file(documents: Iterable[Document]) -> dict[tuple[str, str], dict[str, Document]]:
    files: dict[tuple[str, str], dict[str, Document]] = {}
    for each in documents:
        files.setdefault((each.collection, each.path), {})[each.id] = each
    return files
