"""Asks pip-audit about the packages of a release (`make lint`), and says what could not be asked.

A known hole fails the build. A database that cannot be reached, or that does not know a package, is said and fails nothing: a
build must be possible without a network. `python -m tests.house.dependency_audit`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PINS: Final = (ROOT / "requirements-release.txt", ROOT / "requirements-release-pipeline.txt")
SECONDS_A_REQUEST: Final = 5
SECONDS: Final = 60
RENEW: Final = "renew the pins with `make release-pins`"


@dataclass
class Findings:
    """What is known of the packages: holes, those without, those that nobody could tell about."""

    holes: list[str] = field(default_factory=list)
    clean: int = 0
    unknown: list[str] = field(default_factory=list)

    def add(self, answer: dict[str, Any]) -> None:
        for package in answer["dependencies"]:
            name = package["name"]
            if "skip_reason" in package:
                self.unknown.append(name)
                continue
            for hole in package["vulns"]:
                mended = ", ".join(hole["fix_versions"]) or "no version yet"
                self.holes.append(f"{name} {package['version']}: {hole['id']}, mended in {mended}")
            self.clean += not package["vulns"]


def ask(pins: Path) -> dict[str, Any] | str:
    """pip-audit's answer, or why there is none."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(pins), "--require-hashes", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off", "--timeout", str(SECONDS_A_REQUEST)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} seconds"
    try:
        answer: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        return (ran.stderr.strip().splitlines() or [f"it ended with {ran.returncode} and said nothing"])[-1][:200]
    return answer


def report(findings: Findings, failures: list[str]) -> tuple[str, int]:
    """The line for people, and the exit code."""
    if findings.holes:
        return "\n".join([*findings.holes, f"pip-audit: {len(findings.holes)} known holes; {RENEW}"]), 1
    if failures:
        return f"pip-audit: not checked, its database cannot be reached from here ({failures[0]})", 0
    if findings.unknown:
        asked = findings.clean + len(findings.unknown)
        told = f"{len(findings.unknown)} of {asked} packages not checked"
        return f"pip-audit: {told}: the index that is reached from here knows nothing about holes in them", 0
    return f"pip-audit: {findings.clean} packages, no known holes", 0


def main() -> int:
    findings, failures = Findings(), []
    for pins in PINS:
        answer = ask(pins)
        if isinstance(answer, str):
            failures.append(answer)
            break
        findings.add(answer)
    text, code = report(findings, failures)
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main())
