"""STAGE. skills: list them, check them as Agent Skills, tag those without a workload."""

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.domain.recall import skills, taxonomy
from adjutant.errors import CheckFailed, FileChanged, FileDamaged


def run(app: App, args: Args) -> Outcome:
    """list {skills[], damaged[]}, lint {problems[]}, tag {skills[], uncategorised[], refused[], damaged[]}."""
    scheme = taxonomy.load(app.files)
    if args.subverb == "lint":
        return _lint(app, scheme)
    shelf = skills.load(app.files, scheme)
    for line in shelf.damaged:
        app.say(line)
    return _tag(app, shelf, scheme, args.write) if args.subverb == "tag" else _list(app, shelf)


def _list(app: App, shelf: skills.SkillShelf) -> Outcome:
    keys = ("name", "workload", "path", "description")
    rows = [{key: getattr(each, key) for key in keys} for each in shelf.skills]
    lines = [f"{each.name}  {_short(each.workload) or 'untagged'}  {each.path}" for each in shelf.skills]
    none = f"no skills yet: a skill is a folder with a SKILL.md under {app.tree.relative(app.tree.skills)}/"
    untagged = any(each.workload is None for each in shelf.skills)
    follow = [("adjutant skills tag", "what the untagged ones are about")] if untagged else []
    return Outcome({"skills": rows, "damaged": shelf.damaged}, lines or [none], next_actions=follow)


def _lint(app: App, scheme: taxonomy.Scheme) -> Outcome:
    shelf = skills.load(app.files, scheme)
    known = {each.path for each in shelf.skills}
    lost = [each for each in shelf.damaged if each.split(":")[0] not in known]  # cannot be read at all
    found = [
        each._asdict()
        for path in sorted(known)
        for each in skills.problems(path, app.files.read(app.tree.inside(path), skills.MAX_BYTES), scheme)
    ]
    lines, folder = [*lost, *("{path}:{line}: {message}; {fix}".format_map(each) for each in found)], app.tree.skills
    why = f"{plural(len(lines), 'problem')} in {app.tree.relative(folder)}/"
    error = CheckFailed(why, "mend the lines named; see docs/skills.md") if lines else None
    none = f"{plural(len(known), 'skill')}, no problems"
    return Outcome({"problems": found, "damaged": lost}, lines or [none], error=error)


def _tag(app: App, shelf: skills.SkillShelf, scheme: taxonomy.Scheme, write: bool) -> Outcome:
    rows, lines, unclear, refused = list[Row](), list[str](), list[str](), list[str]()
    for skill in (each for each in shelf.skills if each.wants_tag):
        found = skills.classify_skill(skill, scheme)
        if not found.concepts:
            unclear.append(skill.name)
            lines.append(f"{skill.name}: uncategorised; add a workload to its metadata by hand ({skill.path})")
            continue
        done = f"{app.would}written" if write else "proposed"
        try:
            if write:
                skills.tag(app.files, skill, found.concept)
        except (FileChanged, FileDamaged) as stands:
            refused.append(stands.message)
            done = "not written"
        row = {"name": skill.name, "workload": found.concept, "confidence": found.confidence}
        rows.append(row | {"path": skill.path, "written": write and done != "not written"})
        lines.append(f"{skill.name}: {_short(found.concept)}  {found.confidence:.2f}  {done}")
    lines += [f"  {reason}" for reason in refused]
    error = CheckFailed(refused[0], "look at the file, then run it again") if refused else None
    proposed = [("adjutant skills tag --write", "add these lines")] if rows and not write else []
    result = {"skills": rows, "uncategorised": unclear, "refused": refused, "damaged": shelf.damaged}
    return Outcome(result, lines or ["nothing to tag"], error=error, next_actions=proposed)


def _short(concept: str | None) -> str:
    return (concept or "").removeprefix(taxonomy.PREFIX)
