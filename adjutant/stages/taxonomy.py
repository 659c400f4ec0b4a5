"""STAGE. taxonomy: list, validate, classify, export."""

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.domain.recall import classify, taxonomy
from adjutant.errors import TaxonomyInvalid, UsageError
from adjutant.judgements import filing


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    if args.subverb == "validate":
        return _validate(app)
    scheme = taxonomy.load(app.files)
    if args.subverb == "list":
        return _list(scheme)
    if args.subverb == "export":
        text = taxonomy.export(scheme, args.format)
        return Outcome({"format": args.format, "text": text}, text.rstrip("\n").split("\n"))
    return _classify(app, scheme, app.given(args.text))


def _list(scheme: taxonomy.Scheme) -> Outcome:
    rows = list[Row]()
    for each in scheme.concepts.values():
        row = {"id": each.id, "label": each.label(), "broader": list(each.broader), "related": list(each.related)}
        rows.append(row | {"note": each.notes.get("en") or next(iter(each.notes.values()), None)})
    lines = [line for top in scheme.tops() for line in _branch(scheme, top, "")]
    follow = ("adjutant taxonomy classify <text>", "try it", {"text": "any text"})
    return Outcome({"concepts": rows}, lines, next_actions=[follow])


def _branch(scheme: taxonomy.Scheme, id: str, indent: str) -> list[str]:
    """A concept and those below it; one with two broader concepts stands under both."""
    concept = scheme.concepts[id]
    lines = [f"{indent}{id.removeprefix(taxonomy.PREFIX)}  {concept.notes.get('en') or concept.label()}"]
    for narrower in scheme.narrower(id):
        lines += _branch(scheme, narrower, f"{indent}  ")
    return lines


def _validate(app: App) -> Outcome:
    data, shown = taxonomy.source(app.files)
    problems = taxonomy.problems(data, shown)
    result: Row = {"ok": not problems, "path": shown, "problems": [each._asdict() for each in problems]}
    if not problems:
        return Outcome(result, [f"{shown}: no problems"])
    lines = [part for each in problems for part in (str(each), f"  fix: {each.fix}")]
    error = TaxonomyInvalid(f"{shown}: {plural(len(problems), 'problem')}", problems[0].fix)
    return Outcome(result, lines, error=error)


def _classify(app: App, scheme: taxonomy.Scheme, text: str) -> Outcome:
    if not text.strip():
        raise UsageError("nothing to classify: the text is empty", "`adjutant taxonomy classify --help`")
    found = filing.file(app, text, scheme)
    others = [{"concept": each.concept, "confidence": each.confidence} for each in found.alternatives]
    result = {"concept": found.concept, "confidence": found.confidence, "alternatives": others}
    result |= {"narrower": found.narrower or None, "terms": list(found.terms)}
    terms = f"  ({', '.join(found.terms)})" if found.terms else ""
    clear = found.concept != classify.UNCATEGORISED
    told = f"{found.confidence:.2f}{terms}" if clear else "no concept clearly fits"
    line = f"{found.narrower or found.concept}  {told}"
    return Outcome(result, [line, *(f"  or {each.concept}  {each.confidence:.2f}" for each in found.alternatives)])
