"""`python -m tests.conformance.recipes`: the recipes of examples/testing, each by the test runner of its language.

    python -m tests.conformance.recipes node java         only these

Each runs in a copy, so that nothing is left in the checkout. A tool that is missing is said, and is no failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

EXAMPLES: Final = Path(__file__).parents[2] / "examples" / "testing"
RECIPES: Final = {
    "unittest": (".", [[sys.executable, "-m", "unittest", "-v", "unittest_billing.py"]]),
    "node": ("node", [["npm", "install", "--silent", "--no-audit", "--no-fund"], ["npm", "test"]]),
    "go": ("go", [["go", "mod", "tidy"], ["go", "test", "-count=1", "-v", "./..."]]),
    "java": ("java", [["mvn", "--quiet", "--batch-mode", "test"]]),
}


def main(names: list[str]) -> int:
    results = {name: run(*RECIPES[name]) for name in names or RECIPES}
    print("\n".join(f"recipe {name}: {result}" for name, result in results.items()))
    return int("failed" in results.values())


def run(folder: str, commands: list[list[str]]) -> str:
    """passed, failed, or why it was not run."""
    tool = commands[0][0]
    if shutil.which(tool) is None:
        return f"not run: `{tool}` is not on the path"
    environment = {**os.environ, "MUSTER": str(Path(sys.executable).with_name("muster"))}
    with TemporaryDirectory() as copy:
        shutil.copytree(EXAMPLES / folder, copy, dirs_exist_ok=True)
        for command in commands:
            if subprocess.run(command, cwd=copy, env=environment, check=False).returncode:
                return "failed"
    return "passed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
