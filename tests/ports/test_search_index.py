"""The embedded index keeps to what every search index keeps to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from adjutant.domain.recall import ranking
from tests.ports.search_suite import SearchIndex, SearchIndexTests
from tests.store.putting import PutIndex


class TestSqlite(SearchIndexTests):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SearchIndex]:
        warned: list[str] = []
        index = PutIndex(str(tmp_path / "index.sqlite"), warned.append, nullcontext, ranking.search)
        yield index
        index.close()
        assert not warned
