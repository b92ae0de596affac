"""Writes docs/openapi.json, the description of the test kit's HTTP controls. `make pages` calls it."""

from __future__ import annotations

import json
from pathlib import Path

from muster.testing.control_openapi import PAGES, openapi

PAGE = Path(__file__).parents[2] / "docs" / "openapi.json"

if __name__ == "__main__":
    PAGE.write_text(json.dumps(openapi(PAGES), indent=1) + "\n", encoding="utf-8")
