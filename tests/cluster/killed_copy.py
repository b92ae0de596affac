"""A copy that ends as if it had been killed after so many pieces: `python -m tests.cluster.killed_copy FROM TO PIECES`."""

from __future__ import annotations

import os
import sys

from muster.cli.support import store_copy
from muster.topics.copying import copy

EXIT_CODE = 9
PIECE_BYTES = 400


def main() -> None:
    source, target, pieces = sys.argv[1:]
    copy._APPEND_BYTES = PIECE_BYTES  # type: ignore[misc]
    seen = 0

    def die_in_time(progress: copy.Progress) -> None:
        nonlocal seen
        seen += 1
        if seen > int(pieces):
            os._exit(EXIT_CODE)

    copy.copy_store(store_copy._reading(source), store_copy._writing(target), die_in_time)


if __name__ == "__main__":
    main()
