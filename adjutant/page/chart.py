"""SHELL. A small chart drawn here: a bar a day, as SVG that needs no style of its own."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

BAR, GAP, HEIGHT = 16, 6, 72


def bars(title: str, values: Sequence[tuple[str, int, str]]) -> Markup:
    """(day, number, words) as bars; the words are each bar's tooltip."""
    most = max((number for _, number, _ in values), default=0) or 1
    width = len(values) * (BAR + GAP) + GAP
    out = [
        Markup('<svg class="chart" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">').format(
            width, HEIGHT + 16, width, HEIGHT + 16, title
        )
    ]
    for at, (day, number, words) in enumerate(values):
        tall = round(HEIGHT * number / most) or (1 if number else 0)
        left = GAP + at * (BAR + GAP)
        out.append(
            Markup('<g><title>{}</title><rect class="ground" x="{}" y="0" width="{}" height="{}"/>').format(
                words, left, BAR, HEIGHT
            )
        )
        out.append(
            Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}"/>').format(left, HEIGHT - tall, BAR, tall)
        )
        out.append(Markup('<text x="{}" y="{}">{}</text></g>').format(left + BAR // 2, HEIGHT + 13, day[-2:]))
    return Markup("").join([*out, Markup("</svg>")])
