"""What a client of another language is to the runner: features it claims, a build step, a run against a broker.

A client's program states what it found as lines on its standard output (fields are parted by tabs):

    @pass     feature                the expectation held
    @fail     feature   why          it did not
    @refused  feature   why          the broker said clearly, and at once, that it does not offer this
    @saw      feature   what  value  something both brokers should agree on, whatever it is

Every other line is the program's own talk. Knows nothing of processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol

from tests.conformance.kafka import Node


class Status(Enum):
    PASS = "pass"
    FAIL = "FAIL"
    REFUSED = "refused"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Verdict:
    status: Status
    why: str = ""


@dataclass
class Findings:
    """What one client found at one broker."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    sightings: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was seen, by feature and name."""
    talk: list[str] = field(default_factory=list)


class ToolchainMissing(Exception):
    """A program that the build needs is not there, or its packages could not be fetched. Says which and what to do."""


class BuildFailed(Exception):
    """The tools are there but a program of ours does not compile: a failure, not a gap."""


class Client(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def features(self) -> tuple[str, ...]:
        """In the order of the table. Known without the toolchain, so that a missing one shows what was not run."""

    def build(self) -> None:
        """Makes the program ready, or raises ToolchainMissing or BuildFailed."""

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        """Tries every feature whose name contains `only` at this broker; `folder` is empty and removed afterwards."""


def read_findings(lines: Iterable[str]) -> Findings:
    found = Findings()
    for line in lines:
        match line.rstrip("\n").split("\t"):
            case ["@pass", feature]:
                found.verdicts.setdefault(feature, Verdict(Status.PASS))
            case ["@fail", feature, *why]:
                found.verdicts[feature] = Verdict(Status.FAIL, " ".join(why))
            case ["@refused", feature, *why]:
                found.verdicts[feature] = Verdict(Status.REFUSED, " ".join(why))
            case ["@saw", feature, what, *value]:
                found.sightings[feature, what] = " ".join(value)
            case _:
                found.talk.append(line.rstrip("\n"))
    return found


def all_alike(features: Iterable[str], status: Status, why: str) -> Findings:
    return Findings({each: Verdict(status, why) for each in features})


def fail_the_silent(found: Findings, features: Iterable[str], why: str) -> Findings:
    """A feature that the program never spoke of has failed: it died or hung on the way."""
    for each in features:
        found.verdicts.setdefault(each, Verdict(Status.FAIL, why))
    return found
