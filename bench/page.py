"""docs/performance.md and docs/cluster.md: tables are written by the measurements themselves, each between its own marks."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
CLUSTER_PAGE = PAGE.with_name("cluster.md")


def write_table(command: str, lines: list[str], page: Path = PAGE) -> None:
    page.write_text(page_with(command, lines, page.read_text() if page.exists() else "# Performance\n"))


def page_with(command: str, lines: list[str], page: str) -> str:
    """The page with what this command printed between its marks; at its end if it has none yet."""
    begin, end = f"<!-- written by {command} -->", f"<!-- end of {command} -->"
    if begin not in page:
        page = f"{page.rstrip()}\n\n{begin}\n{end}\n"
    head, _, rest = page.partition(begin)
    return f"{head}{begin}\n\n" + "\n".join(lines).strip() + f"\n\n{end}{rest.partition(end)[2]}"
