"""RECORDS. The sections of a turn's prompt: each between tags of its own, which nothing inside can open or close."""

import re

from adjutant.screening.characters import letters_seen, without_controls, without_hidden

# In the order of the prompt. `history` and `message` are sent as messages of their own where the route has such.
PARTS = (
    *("core", "soul", "wisdom", "identity", "contract", "role", "user", "tools"),
    *("heart", "briefing", "skills", "notes", "vault", "slog", "history", "message"),
)
TAGS = {part: "BEHAVIOR_CONTRACT" if part == "contract" else part.upper() for part in PARTS}
CHARS_PER_TOKEN = 4
_LOOK_ALIKES = "<＜‹˂ᐸ❮❰〈⟨⧼⟪《〈«≪⋘⪡≺﹤𐊣𑢰"
_OPENING = re.compile(f"[{re.escape(_LOOK_ALIKES)}]|&(?:lt|#0*60|#x0*3c);?", re.IGNORECASE)
_NOT_LETTERS = re.compile(r"[\W_]+")
_NAMES = tuple(_NOT_LETTERS.sub("", tag).casefold() for tag in TAGS.values())
_AHEAD = 120  # characters looked at behind a bracket, blanks and signs between letters included
HARMLESS = "‹"


def tokens(*texts: str) -> int:
    """What texts cost, estimated at four characters a token; never 0 where one is not empty."""
    return tokens_of(sum(map(len, texts)))


def tokens_of(chars: int) -> int:
    """What a text of so many characters costs."""
    return -(-chars // CHARS_PER_TOKEN)


def close_tags(text: str) -> str:
    """`text` without hidden and control characters, and with no bracket that could open or close a section, however its
    tag is spelled: other brackets, letters of other scripts, blanks and signs between. Doing it twice changes
    nothing."""
    text = without_hidden(without_controls(text))
    if text.isascii() and "<" not in text and "&" not in text:
        return text.strip()

    def disarm(found: re.Match[str]) -> str:
        ahead = _OPENING.sub("", text[found.end() : found.end() + _AHEAD])
        return HARMLESS if _NOT_LETTERS.sub("", letters_seen(ahead)).startswith(_NAMES) else found[0]

    return _OPENING.sub(disarm, text).strip()


def section(part: str, text: str) -> str:
    """A part's text between its tags; "" for an empty one."""
    inside = close_tags(text)
    return f"<{TAGS[part]}>\n{inside}\n</{TAGS[part]}>" if inside else ""
