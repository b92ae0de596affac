"""`muster cluster check`: what is right and wrong with a cluster and its database, a line each, with advice."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import Any

from muster.cli.exit_codes import DONE, FAILED


def print_findings(connection: Any, *, as_json: bool) -> int:
    """FAILED if one of them is a failure."""
    from muster import __version__
    from muster.cluster.checks import all_findings
    from muster.cluster.findings import Level

    is_sound = True
    for finding in all_findings(connection, __version__, time.time):
        is_sound = is_sound and finding.level is not Level.FAIL
        if as_json:
            print(json.dumps(asdict(finding), ensure_ascii=False))
            continue
        print(f"{finding.level:<5} {finding.check:<12} {finding.found}")
        if finding.advice and finding.level is not Level.OK:
            print(f"      {'':<12} -> {finding.advice}")
    sys.stdout.flush()
    return DONE if is_sound else FAILED
