"""The database's primary dies and its synchronous standby is promoted: the cluster follows, and nothing acknowledged is lost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from muster.wire.errors import NONE
from tests.cluster.lone_member import LoneMember
from tests.cluster.node_process import NodeProcess
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import muster
from tests.interop.waiting import eventually

pytestmark = pytest.mark.xdist_group("cluster")


def test_a_promoted_synchronous_standby_has_every_acknowledged_commit_and_nodes_find_it_by_themselves(
    tmp_path: Path,
) -> None:
    """Nodes name both servers in their URL (`target_session_attrs=read-write`); none of them is restarted."""
    with PostgresProcess() as primary:
        muster("store", "migrate", primary.url)
        with PostgresProcess(copy_of=primary) as standby:
            primary.wait_for_copies()
            node = NodeProcess(tmp_path, primary.url_with(standby), 1)
            node.start()
            with closing(LoneMember("keepers")) as member, closing(LoneMember("witness")) as witness:
                try:
                    ports = [node.port]
                    eventually("a coordinator", lambda: member.coordinator_port(ports) is not None)
                    eventually("the group", lambda: member.try_to_join(node.port), lambda code: code == NONE)
                    acknowledged = tried = 0
                    for tried in range(1, 30):
                        if member.commit(node.port, tried) == NONE:
                            acknowledged = tried
                    assert acknowledged
                    primary.stop("immediate")
                    standby.promote()
                    eventually(
                        "a commit to the new primary", lambda: witness.commit(node.port, 1), lambda it: it == NONE
                    )
                    _, kept = eventually("the group", lambda: member.committed(node.port), lambda it: it[0] == NONE)
                    assert kept in (acknowledged, tried)
                    eventually("a heartbeat to be accepted", lambda: member.beat(node.port) == NONE)
                    eventually("a commit to be accepted", lambda: member.commit(node.port, 100) == NONE)
                    node.stop()
                finally:
                    node.kill()
