"""docs/metrics.md names exactly the metrics that a server tells."""

from __future__ import annotations

import re
from pathlib import Path

from muster.server.running import RunningServer
from muster.server.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def listed() -> list[str]:
    names = []
    for row in re.findall(r"^\| (`(?:muster|process)_[^|]+) \|", PAGE, flags=re.MULTILINE):
        first, *endings = re.findall(r"`(\w+)", row)
        names.append(first)
        names.extend(first.removesuffix("_count") + ending for ending in endings)
    return names


def test_the_page_lists_every_metric_and_no_other() -> None:
    with RunningServer(Settings.of({"muster.storage": "memory", "muster.listen": "127.0.0.1:0"})) as server:
        assert server.server is not None
        _, text = server.begin(server.server.monitoring.metrics_page()).result()
    assert sorted(listed()) == sorted(re.findall(r"^# TYPE (\w+)", text, flags=re.MULTILINE))
