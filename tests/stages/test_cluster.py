"""index and search with a Typesense cluster of three real servers, of which one, then two, are killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.stages import index
from tests.servers import TypesenseServer
from tests.stages.test_mirrors import World, run

pytestmark = pytest.mark.server

TIMEOUT = 2.0
STATE_OF_A_LEADER = 1


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[TypesenseServer]]:
    nodes = tmp_path / "nodes"
    servers = []
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        servers.append(TypesenseServer(tmp_path / name, "--nodes", str(nodes)))
    nodes.write_text(",".join(server.peers for server in servers))
    for server in servers:
        server.begin()
    try:
        servers[0].wait_for(lambda: all(server.is_ready() for server in servers) and leader(servers) is not None)
        yield servers
    finally:
        for server in servers:
            server.kill()


def leader(servers: list[TypesenseServer]) -> TypesenseServer | None:
    def leads(server: TypesenseServer) -> bool:
        try:
            _, told = server.ask("GET", "/debug")
        except OSError:
            return False  # it was killed
        return isinstance(told, dict) and told.get("state") == STATE_OF_A_LEADER

    return next(filter(leads, servers), None)


def told(world: World) -> str:
    """What one `index` says of the cluster; it ends in time, whatever it is."""
    began = time.monotonic()
    found: str = run(index, world.app()).result["mirrors"]["typesense"]
    assert time.monotonic() - began < 10 * TIMEOUT
    return found


def test_one_of_three_may_be_killed_and_without_a_majority_the_index_answers(
    cluster: list[TypesenseServer],
    tmp_path: Path,
) -> None:
    world = World(tmp_path / "mine", ",".join(server.url for server in cluster), None, TIMEOUT)
    assert told(world) == "ok"
    assert world.found("oil") == (["s1"], "typesense")

    first = leader(cluster)
    assert first is not None
    first.kill()  # the worst of the three
    left = [server for server in cluster if server is not first]
    world.log("s2", "sold the boat")
    found, _ = world.found("boat")
    assert set(found) == {"s1", "s2"}, "by whom it may be, but found"
    left[0].wait_for(lambda: told(world) == "ok")
    left[0].wait_for(lambda: world.found("boat sold") == (["s2", "s1"], "typesense"))  # on whichever node is asked

    left[0].kill()
    world.log("s3", "bought a car")
    app, began = world.app("search"), time.monotonic()
    assert world.found("car", app) == (["s3"], "sqlite")
    assert len(app.said) == 1
    assert time.monotonic() - began < 10 * TIMEOUT
    assert told(world).startswith("typesense at ")

    for server in cluster:
        if server is not left[1]:
            server.begin()
    left[1].wait_for(lambda: told(world) == "ok")
    left[1].wait_for(lambda: world.found("car") == (["s3"], "typesense"))
    left[1].wait_for(lambda: run(index, world.app(), "--check").error is None)  # of a follower, too
