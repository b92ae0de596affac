"""A rolling upgrade with the code of an older release: `make upgrade-test` takes the newest tag before, or without one the
commit that released 0.2.0; `REV=` says which else.

Two old nodes make the tables and serve a load. A present one joins them, topics are deleted and made again, the database is
migrated, an old node is killed and comes back, a contract step is refused, the old ones are replaced, and one goes back to the old
release. Nothing acknowledged may be missing at the end. The old nodes run with this Python and what is installed for it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from muster.log.contract import StorageError
from muster.log.postgres.migration import migrate
from muster.log.postgres.schema_steps import MIGRATIONS, NEWEST, OLDEST, Step
from tests.cluster.light_load import LightLoad
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage, muster
from tests.cluster.upgrade_topics import check_that_leaders_stay, make_again
from tests.interop.waiting import eventually

ROOT = Path(__file__).parents[2]
RELEASE_0_2_0 = "705c3df0513f"
"""The commit that released it, which was not tagged. Its schema version is 2."""


class Upgrade:
    def __init__(self, stage: ClusterStage, old: dict[str, str]) -> None:
        """`old`: the environment in which `python -m muster` is the older release."""
        self._stage = stage
        self._old = old

    def run(self) -> str:
        """AssertionError if anything goes wrong; returns how much was acknowledged."""
        stage = self._stage
        for node_id in (1, 2, 3):
            stage.prepare(node_id)
        for node_id in (1, 2):
            stage.nodes[node_id].environment = self._old
        stage.add(1, 2)
        stage.coordinator_of("the first who asks")
        with LightLoad(stage.nodes) as load:
            load.progress()
            stage.add(3)
            self._show(load, "a present node joins two old ones")
            make_again(stage, old=1, present=3)
            check_that_leaders_stay(stage)
            self._show(load, "topics are deleted and made again, and leaders stay meanwhile")
            muster("store", "migrate", stage.database.url)
            eventually("node 3 to say more", lambda: stage.status()[3]["schema"] == [OLDEST, NEWEST])
            self._show(load, f"the database is migrated to {NEWEST}")
            stage.nodes[1].kill()
            load.progress()
            stage.add(1)
            self._show(load, "an old node was killed and came back")
            print(self._refusal(), end="\n\n", flush=True)
            for node_id in (1, 2):
                self._replace(node_id, {})
                self._show(load, f"node {node_id} is replaced by a present one")
            self._replace(3, self._old)
            self._show(load, "node 3 went back to the old release")
            said = load.settle()
        for node in stage.nodes.values():
            assert "Traceback" not in node.log, f"node {node.node_id} broke:\n{node.log}"
        return said

    def _replace(self, node_id: int, environment: dict[str, str]) -> None:
        self._stage.nodes[node_id].stop()
        self._stage.nodes[node_id].environment = environment
        self._stage.add(node_id)

    def _show(self, load: LightLoad, what: str) -> None:
        self._stage.wait_for_owners(1, 2, 3)
        load.progress()
        print(f"{what}\n{muster('cluster', 'status', self._stage.database.url)}", flush=True)

    def _refusal(self) -> str:
        with psycopg.connect(self._stage.database.url, autocommit=True) as connection:
            try:
                migrate(connection, "", (*MIGRATIONS, Step("SELECT 1", is_contract=True)))
            except StorageError as error:
                return str(error)
        raise AssertionError("a contract step was taken beside old nodes")


def git(*arguments: str, home: Path = ROOT) -> str:
    done = subprocess.run(("git", *arguments), cwd=home, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def newest_tag_before(home: Path = ROOT) -> str:
    """Of what this commit comes from: a later minor has nothing to do with a patch of an older one. Not the tag of what is tried
    here, which is tagged when it is released. Empty: there is none."""
    tags = git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname", home=home)
    return tags.partition("\n")[0]


def revision_to_come_from(wanted: str) -> str:
    """SystemExit with what to do if it is not in this clone."""
    found = wanted or newest_tag_before() or RELEASE_0_2_0
    known = subprocess.run(("git", "cat-file", "-e", f"{found}^{{commit}}"), cwd=ROOT, capture_output=True, check=False)
    if known.returncode:
        raise SystemExit(f"{found} is not in this clone: git fetch --unshallow --tags, or say another one with REV=")
    return found


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A worktree for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="muster-old-release-") as parent:
        checkout = Path(parent, "checkout")
        git("worktree", "add", "--detach", str(checkout), revision)
        try:
            yield checkout
        finally:
            git("worktree", "remove", "--force", str(checkout))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "revision",
        nargs="?",
        default="",
        help=f"of the older code (default: the newest tag, else {RELEASE_0_2_0}, which is 0.2.0)",
    )
    revision = revision_to_come_from(parser.parse_args().revision)
    with (
        checked_out(revision) as checkout,
        tempfile.TemporaryDirectory(prefix="muster-upgrade-") as home,
        PostgresProcess() as database,
    ):
        print(f"from {revision}, {git('log', '-1', '--format=%h %s', revision)}", flush=True)
        old = {"PYTHONPATH": str(checkout / "src"), "MUSTER_PURE": "1"}
        command = [sys.executable, "-m", "muster", "store", "migrate", database.url]
        subprocess.run(command, env={**os.environ, **old}, check=True)
        with ClusterStage(Path(home), database, has_tables=True) as stage:
            print(Upgrade(stage, old).run() + " acknowledged, all there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
