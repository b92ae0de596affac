"""`python -m tests.conformance`: the same scripts against Muster and against a real Apache Kafka, compared.

python -m tests.conformance            both brokers side by side, a table and every difference
python -m tests.conformance --record   Kafka alone; its answers renew the recordings (with --only: of these scenarios)
python -m tests.conformance --replay   Muster alone against the recordings, no Java needed
... --only join-T03                    only the scenarios whose name contains this
"""

from __future__ import annotations

import argparse
import sys

from tests.conformance.run import compare_live, record, replay_all


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__.split("\n")[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--record", action="store_true", help="renew the recordings from a real Kafka")
    mode.add_argument("--replay", action="store_true", help="compare Muster with the recordings")
    parser.add_argument("--only", default="", help="only scenarios whose name contains this")
    arguments = parser.parse_args()
    if arguments.record:
        return record(arguments.only)
    return replay_all(arguments.only) if arguments.replay else compare_live(arguments.only)


sys.exit(main())
