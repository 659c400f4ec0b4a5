"""The sample's running papers: the texts of sample.txt, whose dates are counted from the day they are written."""

from datetime import date, timedelta

from adjutant.store import package


def sample_files(today: date) -> dict[str, str]:
    """The running papers as somebody would have left them on `today`, by path relative to the instance."""
    head, *papers = package.text("domain", "matters", "sample.txt").split("=== ")
    values = _days(today, [line for line in head.splitlines() if not line.startswith("#")])
    return {path: text.format_map(values) for path, _, text in (paper.partition("\n") for paper in papers)}


def _days(today: date, distances: list[str]) -> dict[str, date | int]:
    """Every date the texts name; those that are days of work never fall on a weekend."""
    found = {name: _workday(today, int(days)) for name, days in (line.split() for line in distances)}
    sunday = today - timedelta(days=today.weekday() + 1)
    found |= {"sunday": sunday, "sunday_before": sunday - timedelta(days=7)}
    found |= {"electricity": _workday(sunday, -2), "broadband": _workday(sunday, -1)}
    found["call"] = today - timedelta(days=today.weekday() or 7)  # on a Monday, before the last working day
    first = _workday(today.replace(day=1), 0)  # the rent is due on the first working day of a month
    found["rent"] = first if first <= today else _workday((first.replace(day=1) - timedelta(days=1)).replace(day=1), 0)
    numbers = {f"day_{number}": (found[f"reading_{number}"] - found["run_began"]).days + 1 for number in range(1, 6)}
    return {**found, **numbers}


def _workday(today: date, days: int) -> date:
    """So many days after or, below 0, before; else the Monday after that or the Friday before it."""
    day = today + timedelta(days=days)
    weekend = max(0, day.weekday() - 4)
    return day - timedelta(days=weekend) if days < 0 else day + timedelta(days=-day.weekday() % 7 if weekend else 0)
