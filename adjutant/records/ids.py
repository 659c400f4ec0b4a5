"""RECORDS. The ids of notes and lines of the work log, and what stands in a text where a fact was taken back."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from datetime import UTC, datetime

STEP = 8  # so that some thousands fit into one second: an import makes as many
_OWN = re.compile(r"\d{8}T\d{6}-[0-9a-f]{4}")


def new_id(now: datetime, taken: Collection[str]) -> str:
    """YYYYMMDDTHHMMSS-xxxx in UTC, so that ids sort by time whatever the zone; xxxx are four random hex digits.

    Ids of one second keep their order as well, as long as the digits last: each is drawn above those that are taken.
    """
    second = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-"
    used = {int(id[-4:], 16) for id in taken if id.startswith(second) and _OWN.fullmatch(id)}
    draw = int.from_bytes(os.urandom(2))
    number = max(used) + 1 + draw % STEP if used else draw // 2
    while number > 0xFFFF or number in used:
        number = int.from_bytes(os.urandom(2))
    return f"{second}{number:04x}"


FORGET, CORRECT = "forget", "correct"
WORDS = {FORGET: "forgotten", CORRECT: "corrected"}
_MARK = re.compile(r"\s?\[(?:forgotten|corrected) \d{8}T\d{6}-[0-9a-f]{4}\]\.?")


def mark(verb: str, id: str) -> str:
    """The mark of one change."""
    return f"[{WORDS[verb]} {id}]"


def without_marks(text: str) -> str:
    """A text as it is read: the marks say nothing of the matter itself."""
    return _MARK.sub("", text) if "[" in text else text
