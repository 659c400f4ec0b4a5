"""OPINION. brief: what stands in one knowledge base that its operator may have to know?"""

from __future__ import annotations

from typing import Any

import msgspec

from adjutant.judgements import seeing
from adjutant.judgements.seeing import Inputs as Inputs
from adjutant.judgements.seeing import Result as Result
from adjutant.judgements.seeing import check as check
from adjutant.judgements.seeing import join as join
from adjutant.judgements.seeing import lacking as lacking
from adjutant.judgements.seeing import rules as rules
from adjutant.screening.fence import Fence

NAME = "brief"
TEMPLATE = "brief.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 4000
MAX_ITEMS = 20
_ = msgspec.json.Decoder(Result)  # made here: briefs are asked in threads, and making one is not safe


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/brief.md."""
    return seeing.variables(inputs, fence) | {"max_items": MAX_ITEMS}
