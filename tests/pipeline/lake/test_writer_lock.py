"""Two writers: the second one gets one clear line, on a local lake by a lock and on a remote one by a claim that expires."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.rounds import open_or_create
from muster.pipeline.lake.writer_lock import STALE_MS, RemoteClaim, only_writer


@pytest.fixture
def location(tmp_path: Path) -> Location:
    here = Location.parse(tmp_path / "lake")
    open_or_create(here)
    return here


def test_second_writer_of_a_local_lake_hears_who_writes(location: Location) -> None:
    with (
        only_writer(location),
        pytest.raises(LakeError, match=r"is being written to by process \d+ on"),
        only_writer(location),
    ):
        pass
    with only_writer(location):
        pass


def test_lock_of_a_process_that_died_does_not_hold(location: Location) -> None:
    program = (
        "import os, sys\n"
        "from muster.pipeline.lake.location import Location\n"
        "from muster.pipeline.lake.writer_lock import only_writer\n"
        "with only_writer(Location.parse(sys.argv[1])): os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(location)]).returncode == 9
    with only_writer(location):
        pass


class Clock:
    now_ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now_ms


def test_claim_holds_until_it_is_given_back(location: Location) -> None:
    clock = Clock()
    first, second = RemoteClaim(location, clock), RemoteClaim(location, clock)
    first.take()
    clock.now_ms += 5_000
    with pytest.raises(LakeError, match=r"by process \d+ on .* \(seen 5 s ago"):
        second.take()
    first.release()
    second.take()


def test_claim_that_is_not_renewed_expires(location: Location) -> None:
    clock = Clock()
    first, second = RemoteClaim(location, clock), RemoteClaim(location, clock)
    first.take()
    clock.now_ms += STALE_MS - 1
    first.renew()
    clock.now_ms += STALE_MS - 1
    with pytest.raises(LakeError, match="is being written to"):
        second.take()
    clock.now_ms += 1
    first.check()
    second.take()
    with pytest.raises(LakeError, match="is being written to"):
        first.check()
    first.renew()
    first.release()
    with pytest.raises(LakeError, match="is being written to"):
        RemoteClaim(location, clock).take()


def test_of_two_that_claim_at_the_same_moment_one_wins(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = RemoteClaim(location), RemoteClaim(location)
    seen = second._opened()
    first.take()
    monkeypatch.setattr(second, "_opened", lambda: seen)
    with pytest.raises(LakeError, match="another run that began at the same moment"):
        second.take()


def test_only_writer_claims_a_remote_lake_and_gives_it_back(location: Location) -> None:
    remote = Location("remote", location.url, location.delta_url)
    with only_writer(remote), pytest.raises(LakeError, match="remote is being written to"), only_writer(remote):
        pass
    with only_writer(remote):
        pass
