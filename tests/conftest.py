"""Nobody tests yesterday's code: another package than this checkout's, or modules compiled before their source, stop the run.
So does plain Python where `make` has compiled.

And nobody's outcome is luck: Hypothesis draws the same examples in every run and does not look at the clock.
`--hypothesis-profile=default` explores. The browser is here because tests of several rooms share it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from sysconfig import get_config_var

import pytest
from hypothesis import HealthCheck, settings

import muster
from muster.wire.apis import IS_COMPILED
from tests.browser import Browser, find_browser
from tests.forms import plain_by_accident

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
        if why := plain_by_accident(Path(sys.prefix), SOURCE.parent, os.environ):
            raise pytest.UsageError(why)
        return
    suffix = get_config_var("EXT_SUFFIX")  # of this Python: another's modules may lie beside
    built = min((path.stat().st_mtime for path in SOURCE.glob(f"muster__mypyc{suffix}")), default=float("inf"))
    for extension in SOURCE.glob(f"muster/**/*{suffix}"):
        source = extension.with_name(extension.name.partition(".")[0] + ".py")
        if source.exists() and source.stat().st_mtime > built:
            raise pytest.UsageError(
                f"{source} is newer than its compiled form: run `make compile`, or set MUSTER_PURE=1 to test plain Python"
            )


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a fixture of their module go to one worker: each of the others would start the same server once more."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None and _shares_with_its_module(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def _shares_with_its_module(item: pytest.Item) -> bool:
    fixtures = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
    return any(known[-1].scope == "module" for known in fixtures.values())


@pytest.fixture(scope="session")
def running_browser() -> Iterator[Browser]:
    """One for all tests of a process."""
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium, or name one in TEST_CHROMIUM")
    with Browser(program) as running:
        yield running


@pytest.fixture
def browser(running_browser: Browser) -> Iterator[Browser]:
    """It keeps nothing from one test to the next."""
    yield running_browser
    running_browser.forget()
