"""The sample's running papers: seven texts whose dates are counted from the day they are written."""

from datetime import date, timedelta

FOLDERS = (
    "knowledge_bases/launch/current",
    "knowledge_bases/household/current",
    "knowledge_bases/research/current",
)

TASKS = """\
# Larch launch: tasks

Kept by Mira. The shop opens on {opening:%A %-d %B %Y}.

## Shop

- [ ] Take the payment page from test to live, Tom, due {payment_page}
  The bank has said yes. It is one form and an hour of work; nobody can order before.
- [x] Terms and returns page read by the lawyer
- [x] Find out why order mails were failing (it was the postcode field)

## Production

- [x] Boards: 200 assembled and tested overnight
- [x] Elm Joinery: tops were overdue, all 200 came on {tops}
- [x] Kestrel Labs: certificate
- [ ] Oil the sample tops
- [ ] Order shipping labels

## Later

- [ ] Book the photographer for the catalogue, due {catalogue}
- [ ] Extend the trademark, due {trademark}
"""

VENDORS = """\
# Vendors of the Larch launch

| vendor | part | promised | status |
|---|---|---|---|
| Brandt Plastics | 200 enclosures | {enclosures} | blocked: mould cracked, no new date |
| Elm Joinery | 200 wooden tops | {tops} | delivered |
| Olmo Print | boxes and cards | {boxes} | delivered, no longer blocked |
| Kestrel Labs | certificate | {certificate} | delivered |

## Brandt Plastics

### {brandt_called:%A %-d %B %Y}

Mr Brandt rang at four: the mould of the enclosures' lower half has cracked. The tool maker can weld
it as soon as Mira signs the repair offer.

### {brandt_promised:%A %-d %B %Y}

First sample fits. Colour agreed. He promised all 200 for {enclosures:%A %-d %B}.

## Olmo Print

### {boxes:%A %-d %B %Y}

Two pallets of boxes and the cards, counted by Tom. All there.
"""

CALL = """\
# Weekly call, {call:%A %-d %B %Y}, 9:00

Mira and Tom.

- Boards: all 200 have passed the overnight test.
- Parcel service: no blockers on their side, they collect any day with two days' notice.
- If Brandt ever gave up, we could print the enclosures ourselves, at twice the price.
- Newsletter is late again. Mira writes it when she feels like it.
- Decided: one price for everybody.

## Actions

- [x] Tom sends Kestrel the missing photograph
- [x] Mira thanks the joinery
"""

BILLS = """\
bill,amount,due,status,note
rent,1240.00,{rent},paid,standing order
water,41.60,{water},paid,their reminder was a mistake
electricity,88.15,{electricity},paid,
broadband,34.90,{broadband},paid,
contents insurance,312.40,{insurance},open,by bank transfer
vehicle tax,146.00,{vehicle_tax},open,
"""

NOTES = """\
# Household notes

## Sunday {sunday:%-d %B %Y}

- Contents insurance: Nordkap's letter with the new price came, a little more than last year.
- The plumber was here, the kitchen tap no longer leaks.
- Allotment: water tank is leaking, urgent, somebody has to go before it is empty.

## Sunday {sunday_before:%-d %B %Y}

- Tax return is in; the receipt is in the grey box. Nothing outstanding.
- Paid broadband, electricity and the school trip.
- Looked at new bicycles. No hurry.
"""

LOG = """\
# Drift study: log

Run 3, began {run_began}.

## {reading_1:%A %-d %B %Y}

Day {day_1}. Largest difference 22 ppm.
Still waiting on Dr Aydin for the calibration sheet of the reference meter, asked on {reading_5}.
The readings so far stay unused until we have it.

## {reading_2:%A %-d %B %Y}

Day {day_2}. Largest difference 19 ppm. Sensor 7 replaced, no longer failing.

## {reading_3:%A %-d %B %Y}

Day {day_3}. Largest difference 21 ppm. Power was off for an hour; waited, repeated, no harm done.

## {reading_4:%A %-d %B %Y}

Day {day_4}. Largest difference 18 ppm.

## {reading_5:%A %-d %B %Y}

Day {day_5}. Largest difference 17 ppm. Wrote to Dr Aydin for the calibration sheet.
"""

PAPER = """\
---
title: Boxes before sensors
status: draft
due: {paper}
---

# Paper

With Dr Aydin. Introduction and methods are written. Results wait for the end of the run, as planned.

- [x] Choose the workshop
- [x] Figure of the box
- [ ] Results
- [ ] Reread the older thesis for the discussion
"""

TEXTS = {
    "knowledge_bases/launch/current/tasks.md": TASKS,
    "knowledge_bases/launch/current/vendors.md": VENDORS,
    "knowledge_bases/launch/current/call.md": CALL,
    "knowledge_bases/household/current/bills.csv": BILLS,
    "knowledge_bases/household/current/notes.md": NOTES,
    "knowledge_bases/research/current/log.md": LOG,
    "knowledge_bases/research/current/paper.md": PAPER,
}


def sample_files(today: date) -> dict[str, str]:
    """The running papers as somebody would have left them on `today`, by path relative to the instance."""
    values = _days(today)
    return {path: text.format_map(values) for path, text in TEXTS.items()}


def _days(today: date) -> dict[str, date | int]:
    """Every date the texts name; those that are days of work never fall on a weekend."""
    began = _back(today, 32)
    readings = [_back(today, days) for days in (1, 4, 8, 11, 15)]
    sunday = today - timedelta(days=today.weekday() + 1)
    days: dict[str, date | int] = {
        "opening": _ahead(today, 50),
        "payment_page": _back(today, 3),
        "catalogue": _ahead(today, 75),
        "trademark": _ahead(today, 300),
        "enclosures": _back(today, 6),
        "tops": _back(today, 9),
        "boxes": _back(today, 7),
        "certificate": _back(today, 12),
        "brandt_called": _back(today, 1),
        "brandt_promised": _back(today, 20),
        "call": _monday_before(today),
        "rent": _rent_day(today),
        "water": _back(today, 20),
        "electricity": _back(sunday, 2),
        "broadband": _back(sunday, 1),
        "insurance": _ahead(today, 4),
        "vehicle_tax": _ahead(today, 80),
        "sunday": sunday,
        "sunday_before": sunday - timedelta(days=7),
        "run_began": began,
        "paper": _ahead(today, 60),
    }
    for number, reading in enumerate(readings, 1):
        days[f"reading_{number}"] = reading
        days[f"day_{number}"] = (reading - began).days + 1
    return days


def _back(today: date, days: int) -> date:
    """`days` before, or the Friday before that where it is a weekend. Distances of 3 stay in order."""
    day = today - timedelta(days=days)
    return day - timedelta(days=max(0, day.weekday() - 4))


def _ahead(today: date, days: int) -> date:
    """`days` after, or the Monday after that where it is a weekend."""
    day = today + timedelta(days=days)
    return day + timedelta(days=(7 - day.weekday()) if day.weekday() > 4 else 0)


def _monday_before(today: date) -> date:
    """The last Monday before `today`; never later than the working day before `today`."""
    return today - timedelta(days=today.weekday() or 7)


def _rent_day(today: date) -> date:
    """The last first-working-day-of-a-month that is not after `today`."""
    first = _ahead(today.replace(day=1), 0)
    return first if first <= today else _ahead((today.replace(day=1) - timedelta(days=1)).replace(day=1), 0)
