"""A file that has grown too long has two subjects, and is divided by them."""

from __future__ import annotations

from tests.house.source_files import name_of, python_files

MOST_LINES = 400
MOST_LINES_OF_TESTS = 500
TO_BE_DIVIDED = {
    "src/muster/pipeline/schemas.py": "the columns of all documented tables: one list, looked up by name",
    "src/muster/server/connection.py": "the life of a connection",
}


def test_no_file_is_longer_than_it_may_be() -> None:
    limits = {
        "src": MOST_LINES,
        "bench": MOST_LINES,
        "demo": MOST_LINES,
        "tools": MOST_LINES,
        "tests": MOST_LINES_OF_TESTS,
    }
    too_long = {
        name_of(path)
        for folder, limit in limits.items()
        for path in python_files(folder)
        if path.read_text().count("\n") > limit
    }
    assert too_long == TO_BE_DIVIDED.keys()
