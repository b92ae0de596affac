"""A wheel has every file of the package that is no Python: templates, styles, scripts."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/muster"
MADE = {".py", ".pyc", ".so"}
"""Python, and what is made of it."""


def test_every_template_and_asset_is_packaged() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packaged = {path for pattern in settings["package-data"]["muster"] for path in PACKAGE.glob(pattern)}
    assert {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in MADE} == packaged
    assert PACKAGE / "console/templates/group.html" in packaged
