"""Writes the table of rights into docs/security.md: `python -m tests.security.rights_page`. A test compares."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from muster.server.handlers.table import SERVED
from tests.security import rights_of_clusters, rights_of_groups, rights_of_topics, rights_of_transactions
from tests.security.rights import NOTHING_NEEDED, Right, words

ALL_RIGHTS: Final = (
    *rights_of_groups.RIGHTS,
    *rights_of_topics.RIGHTS,
    *rights_of_transactions.RIGHTS,
    *rights_of_clusters.RIGHTS,
)
PAGE: Final = Path(__file__).parents[2] / "docs" / "security.md"
BEGIN: Final = "<!-- rights: written by `python -m tests.security.rights_page` -->"
END: Final = "<!-- end of rights -->"


def table() -> str:
    lines = ["| API | needs | or instead | without it | several in one request |", "|---|---|---|---|---|"]
    order = {name: position for position, name in enumerate(SERVED)}
    lines += [_row(right) for right in sorted(ALL_RIGHTS, key=lambda right: order.get(right.api, len(order)))]
    lines += [f"| {api} | nothing | | {why} | |" for api, why in NOTHING_NEEDED.items() if api in SERVED]
    return "\n".join(lines)


def _row(right: Right) -> str:
    api = f"{right.api} {right.about}".strip()
    instead = words(right.instead) if right.instead else ""
    several = "each for itself" if right.several else ""
    return f"| {api} | {words(right.needs)} | {instead} | {right.denied_name} | {several} |"


def with_table(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PAGE.name} written")
