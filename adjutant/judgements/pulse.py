"""OPINION. pulse: one call for all knowledge bases: what matters, how gravely, and what is worth telling now?"""

from __future__ import annotations

import msgspec

from adjutant.judgements import seeing
from adjutant.judgements.seeing import Inputs as Inputs
from adjutant.judgements.seeing import Result as Result
from adjutant.judgements.seeing import join as join
from adjutant.judgements.seeing import lacking as lacking
from adjutant.judgements.seeing import rules as rules
from adjutant.judgements.seeing import variables as variables

NAME = "pulse"
TEMPLATE = "pulse.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 6000


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only what stands, at least medium. Raises ReplyRefused when a reply loses everything this way."""
    checked, notes = seeing.check(inputs, result)
    return msgspec.structs.replace(checked, items=seeing.keep_grave(checked.items)), notes
