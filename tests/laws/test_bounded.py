"""Reading is linear and bounded for any bytes: this is why it needs no child with limits of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile import make
from tests.laws.test_one_base import at, grave
from tests.sampling import taken
from tests.system.test_hostile_folders import FORBIDDEN, MEGABYTES, SECONDS, limited
from tests.system.world import DOCUMENTED, World

pytestmark = pytest.mark.sweep

TOGETHER = 12  # folders, as the knowledge bases of one instance
LONG = f"# {'by Friday ' * 60_000}\n\n"
LARGE: dict[str, tuple[int, str]] = {
    "sixty of a megabyte": (60, grave(*(f"the {n}th fire of the oven" for n in range(20_000)))[:1_000_000]),
    "twelve of boxes": (12, "- [ ] pay by 20 Nov\n" * 50_000),
    "twelve under a long heading": (12, LONG + "- [ ] pay by 20 Nov\n" * 20_000),
    "thirty of comments": (30, "<!--" * 250_000),
    "thirty of deep indents": (30, "".join(f"{' ' * n}- a\n" for n in range(1_400))),
    "six of records": (6, "- due: 2026-11-20\n  what: odd\n" * 8_000),
}


@pytest.mark.parametrize("group", range(taken(8, 10)))
def test_hostile_folders_together_stay_bounded(empty: World, tmp_path: Path, group: int) -> None:
    known = []
    for seed in range(TOGETHER):
        folder = tmp_path / f"odd{seed}"
        make(folder, 1_000 + group * TOGETHER + seed)
        known.append(f"- name: odd{seed}\n  path: {folder}\n")
    (empty.root / "knowledge_bases" / "registry.yaml").write_text("".join(known))
    bounded(empty)


@pytest.mark.parametrize("name", LARGE)
def test_megabytes_of_one_leave_another_its_reading(empty: World, name: str) -> None:
    count, text = LARGE[name]
    suffix = "yaml" if name.endswith("records") else "md"
    empty.knowledge("mail", {f"{n}.{suffix}": f"# {n}\n{text}" for n in range(count)})
    empty.knowledge("bakery", {"tasks.md": "# Bakery opening\n\nBLOCKED: the delivery of the oven, due 2026-11-20\n"})
    bounded(empty)
    assert "delivery of the oven" in "".join(empty.outbox())


def bounded(world: World) -> None:
    """A pulse, the first and the next, is inside of every limit and says what it says in clean words."""
    for hour in (9, 12):
        world.now = at(hour)
        ran, seconds, megabytes = limited(world, "pulse")
        assert ran.code in DOCUMENTED, ran
        assert megabytes <= MEGABYTES
        assert seconds < SECONDS
        assert not FORBIDDEN & set(ran.out + ran.err), sorted(FORBIDDEN & set(ran.out + ran.err))
        assert "a bug in" not in ran.out + ran.err + world.journal(), ran
