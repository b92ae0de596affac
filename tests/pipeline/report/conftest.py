"""Pages of the sample lake, made by one worker for all tests that look at them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from muster.pipeline.report import render
from tests.pipeline.report.hostile import hostile_tables
from tests.pipeline.report.sample_lag import END
from tests.pipeline.report.sample_lake import sample_tables

GENERATED = END + 600_000
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        shares = HERE in item.path.parents and "tables" in getattr(item, "fixturenames", ())
        if shares and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("report"))


@pytest.fixture(scope="session")
def tables() -> dict[str, pa.Table]:
    return sample_tables()


@pytest.fixture(scope="session")
def sample_html(tables: dict[str, pa.Table]) -> str:
    return render(tables, GENERATED)


@pytest.fixture(scope="session")
def hostile_html(tables: dict[str, pa.Table]) -> str:
    return render(hostile_tables(tables), GENERATED)


@pytest.fixture(scope="session")
def sample_page(sample_html: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(sample_html, encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def hostile_page(hostile_html: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "hostile.html"
    file.write_text(hostile_html, encoding="utf-8")
    return file
