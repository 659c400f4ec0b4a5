"""DOCUMENTS. HTML comments, taken out of a page line by line."""

from collections.abc import Sequence


class Comments:
    """Walks the lines of a page in order. `open`: one goes on into the next line; `inside`: lines that begin in one."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.open = False
        self.inside: set[int] = set()
        self._last = next((at for at in range(len(lines) - 1, -1, -1) if "-->" in lines[at]), -1)
        self.any = self._last >= 0

    def without(self, line: str, at: int) -> str:
        """Line number `at` without what stands in comments; one that nothing closes, or between ticks, is text."""
        kept, begin, ticks = [], 0, 0
        if self.open:
            self.inside.add(at)
            close = line.find("-->")
            if close < 0:
                return ""
            self.open, begin = False, close + 3
        while (opening := line.find("<!--", begin)) >= 0:
            ticks += line.count("`", begin, opening)
            close = line.find("-->", opening + 4)
            if ticks % 2 or (close < 0 and at >= self._last):
                kept.append(line[begin : opening + 4])
                begin = opening + 4
                continue
            kept.append(f"{line[begin:opening]} ")
            if close < 0:
                self.open = True
                return "".join(kept)
            begin = close + 3
        kept.append(line[begin:])
        return "".join(kept)
