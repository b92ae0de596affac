"""The report: gold tables in, one self-contained HTML page out. No Spark, no network, no template files.

`render` makes the page from Arrow tables, `write_report` reads a lake and writes the file. How it is laid out:
facts (what the tables say) -> plots, panels, sheets, summary (what is shown) -> page. `limits` keeps the page small.
"""

from __future__ import annotations

from muster.pipeline.report.page import render
from muster.pipeline.report.write import Report, write_report

__all__ = ["Report", "render", "write_report"]
