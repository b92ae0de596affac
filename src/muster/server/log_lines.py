"""How log lines look and which ones there are: for people or as JSON, by the settings `muster.log.*`."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muster.server.settings import Settings


class JsonLines(logging.Formatter):
    """One JSON object a record. A control character of a client's name is escaped, so no line can be made two."""

    def __init__(self, node_id: int | None) -> None:
        super().__init__()
        self._node_id = node_id

    def format(self, record: logging.LogRecord) -> str:
        import json
        from datetime import UTC, datetime

        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"time": at, "level": record.levelname.lower(), "area": record.name}
        if self._node_id is not None:
            line["node"] = self._node_id
        line["message"] = record.getMessage()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_up_logging(settings: Settings, worker_node_id: int | None = None) -> None:
    """Log to standard error as the settings say. A worker's lines name its node, and replace its parent's."""
    handler = logging.StreamHandler(sys.stderr)
    if settings.string("muster.log.format") == "json":
        handler.setFormatter(JsonLines(worker_node_id))
    else:
        node = "" if worker_node_id is None else f"node {worker_node_id} "
        handler.setFormatter(logging.Formatter(f"%(asctime)s %(levelname)s {node}%(name)s: %(message)s"))
    level = settings.string("muster.log.level").upper()
    logging.basicConfig(level=level, handlers=[handler], force=worker_node_id is not None)
    levels = [each.partition(":") for each in settings.words("muster.log.levels")]
    if levels and worker_node_id is None:
        from muster.server.log_areas import warnings_about

        for warning in warnings_about([area for area, _, _ in levels]):
            logging.getLogger("muster.server").warning(warning)
    for area, _, area_level in levels:
        logging.getLogger(area).setLevel(area_level.upper())
