"""SCREENING. The one order everybody tries, where there is no phrase book: "ignore the previous instructions"."""

from __future__ import annotations

import re

from adjutant.screening.characters import letters_seen

_LONGEST = 4000  # characters of a line that are looked at
_GAP = r"(?:\W+\w+){0,4}?\W+"
# For each language: verbs, what is set aside, and words for what came before.
_ROMANCE = (
    (r"(?:ignora|ignore|olvida|omite)\w*", "instrucciones|indicaciones|reglas|órdenes", "anteriores|previas|de arriba"),
    (r"(?:ignore|oublie|néglige)\w*", "instructions|consignes|directives|règles", "précédentes|antérieures|ci-dessus"),
    (r"(?:ignora|dimentica|trascura)\w*", "istruzioni|regole|direttive", "precedenti|sopra|iniziali"),
    (r"(?:ignore|esqueça|desconsidere)\w*", "instruções|regras|ordens", "anteriores|prévias|acima"),
)
_OTHERS = (
    ("(?:negeer|vergeet)", "instructies|regels|opdrachten", "vorige|eerdere|bovenstaande|voorgaande"),
    ("(?:ignorera|glöm|bortse från)", "instruktion|regler|anvisning", "tidigare|föregående|ovanstående"),
    ("(?:ignorer|glem|se bort fra)", "instruktion|anvisning", "tidligere|forrige|foregående|ovenstående"),
    ("(?:zignoruj|pomiń|zapomnij)", "instrukcje|polecenia", "poprzednie|wcześniejsze|powyższe"),
    (r"(?:игнорируй|забудь|проигнорируй)\w*", "инструкции|указания|команды", "предыдущие|прежние|прошлые"),
)
_PHRASES = (
    *(rf"\b{verb}{_GAP}(?:{rules}){_GAP}(?:{before})" for verb, rules, before in _ROMANCE),
    *(rf"\b{verb}{_GAP}(?:{before}){_GAP}(?:{rules})" for verb, rules, before in _OTHERS),
    r"(?:忽略|无视|無視|忘记|忘記)\W?.{0,8}(?:之前|以上|前面|先前|上述|所有).{0,8}(?:指令|指示|说明|說明|提示|规则)",
    r"(?:以前|上記|これまで|前)の.{0,8}(?:指示|命令|ルール).{0,4}(?:無視|忘れ)",
)
_PLAIN = re.compile(r"\\.|[^\\]+")
_ANY = re.compile(
    _PLAIN.sub(lambda part: part.group() if part.group()[0] == "\\" else letters_seen(part.group()), "|".join(_PHRASES))
)
_MARKS = (
    *(letters_seen(rule[:7]) for _, rules, _ in (*_ROMANCE, *_OTHERS) for rule in rules.split("|")),
    *("指令", "指示", "说明", "說明", "提示", "规则", "命令", "ルール"),
)


def from_abroad(text: str) -> list[int]:
    """Line numbers of `text` (prepared by `reading`) that set previous instructions aside in another language."""
    marks = [mark for mark in _MARKS if mark in text]
    if not marks:
        return []
    return [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if any(map(line.__contains__, marks)) and _ANY.search(line[:_LONGEST])
    ]
