"""DOMAIN. What is asked of a state that changes: it comes back for a good reason, whatever the answer was.

A list in English, Norwegian and German, for questions that return ("what is due today?") and for those asked again.
"""

from __future__ import annotations

import re

_CHANGES = re.compile(
    r"(?i)\b(?:today|tonight|tomorrow|yesterday|now|currently|current|latest|newest|recent(?:ly)?|this (?:week|month|"
    r"morning|afternoon|evening|year|quarter|time)|next|last|so far|still|yet|left|remaining|new|news|status|open"
    r"|pending"
    r"|overdue|waiting|progress|going|happen(?:ed|ing)|weather|my (?:day|week|calendar|inbox)|since|urgent|i dag|idag"
    r"|i morgen|imorgen|i går|nå|denne (?:uka|uken|måneden)|neste|siste|forrige|nytt|nye|åpne|status|været|heute|morgen"
    r"|gestern|jetzt|gerade|aktuell\w*|diese (?:woche|r monat)|nächste\w*|letzte\w*|neues|offen\w*|wetter|stand)\b"
)


def is_asked(sentence: str) -> bool:
    """Whether a question is about what may be otherwise by now."""
    return _CHANGES.search(sentence) is not None
