"""DOMAIN. Skills as documents: one a SKILL.md, with its workload, or what its words say it is about."""

from __future__ import annotations

from adjutant.domain.recall import skills, taxonomy
from adjutant.domain.recall.scheme import Scheme
from adjutant.domain.recall.sources.parts import text_of
from adjutant.index_ports import Document
from adjutant.store.files import sha256

COLLECTION = "agent_skills"


def documents(path: str, data: bytes, scheme: Scheme | None = None) -> list[Document]:
    """The one document of a SKILL.md: its description, and around it what the file goes on to say. Of one as it came
    with the package the description alone is found, and it answers nothing: it holds no word of the operator's.

    `scheme`: the instance's own taxonomy, the package's when not given.

    Raises FileDamaged for what is not UTF-8.
    """
    scheme = scheme or taxonomy.own()
    skill = skills.parse(path, text_of(path, data).encode(), scheme)
    shipped = skills.is_shipped(path, data)
    concepts = (skill.workload,) if skill.workload else skills.classify_skill(skill, scheme).concepts
    text, around = (skill.description, skill.body) if skill.description else (skill.body, "")
    return [
        Document(
            id=skill.name,
            collection=COLLECTION,
            title=skill.name,
            text=text,
            path=path,
            concepts=concepts,
            source_sha=sha256(data),
            context="" if shipped else around,
            trust="agent" if shipped else "operator",
        )
    ]
