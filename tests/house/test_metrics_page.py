"""docs/metrics.md names exactly the metrics that a coordinator tells."""

from __future__ import annotations

import re
from pathlib import Path

from muster.runtime.metrics import coordinator_metrics
from tests.runtime.world import World

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def listed() -> list[str]:
    names = []
    for row in re.findall(r"^\| (`muster_[^|]+) \|", PAGE, flags=re.MULTILINE):
        first, *endings = re.findall(r"`(\w+)", row)
        names.append(first)
        names.extend(first.removesuffix("_count") + ending for ending in endings)
    return names


def test_the_page_lists_every_metric_and_no_other() -> None:
    told = [metric.name for metric in coordinator_metrics(World().start().coordinator)]
    assert sorted(listed()) == sorted(told)
