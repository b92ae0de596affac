"""Which form of Muster runs: the hot core compiled, or all of it as plain Python.

`MUSTER_PURE=1` makes a process run the Python files also where the compiled ones are installed: for finding out whether a
fault is the compiler's, and for running the tests in both forms. The package itself then calls `use_source_only`, before any
other module of it is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

_PREFIX = "muster."


class SourceOnly:
    """A meta path finder that finds modules of this package as `.py` files and as nothing else.

    It does not say so by inheritance: `importlib.abc` takes 10 ms to import, and every start would pay for it.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        for folder in path or ():
            spec = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(fullname)
            if spec is not None:
                return spec
        return None


def use_source_only() -> None:
    if not any(isinstance(finder, SourceOnly) for finder in sys.meta_path):
        sys.meta_path.insert(0, SourceOnly())


def form_text() -> str:
    """For people: `compiled` or `pure Python`."""
    from muster.wire.apis import IS_COMPILED

    return "compiled" if IS_COMPILED else "pure Python"
