"""DOMAIN. Days, weeks and months as documents: one a bullet, trusted no more than the source it ends with."""

from __future__ import annotations

import re
from collections import Counter

from adjutant.documents import frontmatter
from adjutant.domain.recall.sources.parts import day_words, fingerprint, text_of
from adjutant.index_ports import Document
from adjutant.records import calendar, period_file

COLLECTION = "agent_memory"
_NOT_WORD = re.compile(r"[\W_]+")


def documents(path: str, data: bytes) -> list[Document]:
    """The bullets of memory/daily|weekly|monthly/<period>.md, ids PERIOD/SECTION/N; none when its name is no period.

    Raises FileDamaged.
    """
    folder, _, name = path.rpartition("/")
    kind = folder.rpartition("/")[2]
    period = calendar.find_period(kind, name.removesuffix(".md")) if kind in calendar.KINDS else None
    if period is None:
        return []
    last = period.last.isoformat()
    moment, level = f"{last}T00:00:00+00:00", calendar.KINDS.index(kind) + 1
    counts, found = Counter[str](), list[Document]()
    for bullet in period_file.bullets(frontmatter.read(text_of(path, data), path).body):
        anchor = _NOT_WORD.sub("-", bullet.section.lower()).strip("-")
        counts[anchor] += 1
        text = " ".join([bullet.text, *(f"[{ref}]" for ref in bullet.refs)])
        found.append(
            Document(
                id=f"{period.name}/{anchor or 'top'}/{counts[anchor]}",
                collection=COLLECTION,
                title=f"{period.name} {bullet.section}".strip(),
                text=text,
                path=path,
                anchor=anchor,
                trust=bullet.trust,
                created_at=moment,
                updated_at=moment,
                source_sha=fingerprint(period.name, bullet.section, bullet.trust, text),
                names=day_words(last),
                group=path,
                level=level,
            )
        )
    return found
