"""What authorization tells the metrics page: denials, told to the audit or not, and how many ACLs there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.runtime.metrics import Metric

if TYPE_CHECKING:
    from muster.runtime.node import Node


def authorization_metrics(node: Node) -> Iterator[Metric]:
    count = 0 if node.acls is None else len(node.acls)
    yield Metric(
        "muster_denials_total",
        "counter",
        "Requests for what the rules do not allow.",
        (({}, float(node.audit.denials)),),
    )
    yield Metric("muster_acls", "gauge", "ACLs that are in force.", (({}, float(count)),))
