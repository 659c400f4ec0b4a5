"""STAGE. today: the picture of what is open, from the files as they are now; it writes nothing down."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.matters import drawing
from adjutant.domain.matters.picture import row
from adjutant.domain.telling import digest, message
from adjutant.records import heart, layers, registry

DONE = "marked done"
FIRST = 50  # matters of --json that are not cut off: of each knowledge base in turn


def run(app: App, args: Args) -> Outcome:
    """Also open, unread[], settled[], lines[]."""
    layer = layers.read(app.files, app.config, "heart")
    if layer.problem is not None:
        app.say(layer.problem)
    picture = drawing.draw(app, heart.parse(layer.text))
    shown, today = picture.shown(), picture.now.date()
    several = len({each.kb for each in shown}) > 1
    parts = digest.listing(shown, today, week=args.week, waiting=args.waiting, every=args.all)
    chosen, lines = [each for _, group in parts for each in group], list[str]()
    for title, group in parts:
        lines += [f"{title}:", *(f"  {message.line(each, today, several=several)}" for each in group)]
    left = 0 if args.all else len(shown) - len(chosen)
    if not lines:
        due = "late or due" + (" this week" if args.week else "")
        none = "nobody you are waiting for" if args.waiting else "nothing " + ("open" if args.all else due)
        lines = [f"I found {none}."]
    if not chosen and not registry.load(app.files):
        lines = ["no knowledge bases yet; `adjutant kb add NAME PATH` registers a folder of yours"]
    elif left:
        lines.append(f"{left} {'more ' if chosen else ''}open: `adjutant today --all`")
    said = message.plain  # what is open no more since the last pulse, and what was marked done and still stands
    settled = [{"id": each.id, "said": said(each.what, each.place), "state": each.state} for each in picture.closed]
    done = (each for each in picture.matters if each.muted == DONE)
    settled += [{"id": each.id, "said": message.said(each), "state": "done"} for each in done]
    rows = [
        row(each) | {"part": title, "said": message.said(each), "spoken": message.when(each, today)}
        for title, group in parts
        for each in group
    ]
    kept = {each.id for each in message.first(chosen, FIRST)}
    result = {
        "matters": sorted(rows, key=lambda each: each["id"] not in kept),
        "counts": {title: len(group) for title, group in parts},
        "written_at": picture.now.isoformat(),
        "open": len(shown),
        "unread": picture.unread,
        "settled": settled,
        "lines": lines,
    }
    follow = [(f"adjutant mark {each.id} done", "or snooze friday, useless, useful") for each in chosen[:1]]
    return Outcome(result, lines, next_actions=follow)
