"""Nobody tests yesterday's code: another package than this checkout's, or modules compiled before their source, stop the run.

And nobody's outcome is luck: Hypothesis draws the same examples in every run and does not look at the clock.
`--hypothesis-profile=default` explores.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import muster
from muster.wire.apis import IS_COMPILED

SOURCE = Path(__file__).parent.parent / "src"

settings.register_profile(
    "the same every time",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("the same every time")
    if not Path(muster.__file__).is_relative_to(SOURCE):
        raise pytest.UsageError(
            f"{Path(muster.__file__).parent} would be tested, not {SOURCE}: `rm .venv/.ready && make setup`"
        )
    if not IS_COMPILED:
        return
    built = min((path.stat().st_mtime for path in SOURCE.glob("muster__mypyc.*")), default=float("inf"))
    for extension in SOURCE.glob("muster/**/*.so"):
        source = extension.with_name(extension.name.partition(".")[0] + ".py")
        if source.exists() and source.stat().st_mtime > built:
            raise pytest.UsageError(
                f"{source} is newer than its compiled form: run `make compile`, or set MUSTER_PURE=1 to test plain Python"
            )
