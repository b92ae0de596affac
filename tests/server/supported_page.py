"""Builds docs/supported.md from the handler table and from the `Deviates:` remarks in the code.

`python -m tests.server.supported_page` writes it; `test_supported_page.py` fails when it is out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from muster.server.handlers.table import HANDLERS, advertised_range
from muster.server.setting_keys import NOT_SUPPORTED_YET
from muster.wire.apis import APIS
from tests.house.citations import with_links

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "supported.md"
SOURCE = ROOT / "src"

RECORDING = ROOT / "tests" / "conformance" / "recordings" / "kafka-4.3.1" / "api_versions.json"


def _recorded_ranges() -> dict[int, tuple[int, int]]:
    """What a running Apache Kafka 4.3.1 advertised, as the conformance tests recorded it."""
    answers = json.loads(RECORDING.read_text(encoding="utf-8"))["api_versions-2.3a"]["answers"]
    return {each["api_key"]: (each["min_version"], each["max_version"]) for each in answers[0][2]["api_keys"]}


KAFKA_RANGES = _recorded_ranges()

GAPS = {
    "Produce": "versions 0 to 2 are advertised, as Kafka does it, and close the connection, as there",
    "Fetch": "no fetch sessions, no followers",
    "ListOffsets": "no tiered storage: its special times answer as Kafka does without one",
    "FindCoordinator": "no share groups",
    "CreateTopics": "one replica, on this node",
    "CreatePartitions": "one replica, on this node",
    "DescribeConfigs": "topics and this broker; other resources have no settings",
    "AlterConfigs": "topics only; broker settings are read at start",
    "IncrementalAlterConfigs": "topics only; broker settings are read at start",
    "ListGroups": "classic and consumer groups",
    "DescribeCluster": "the live nodes of the cluster; none is ever fenced",
    "SaslHandshake": "mechanisms PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER; no GSSAPI; nodes have one of their own",
}

NOT_SERVED = (
    "delegation tokens, reassignment, leader election, log directory moves",
    "share groups and streams groups; telemetry",
    "everything between brokers and controllers",
)


def build() -> str:
    return "\n".join(
        (
            "# What is supported",
            "",
            "Written by `python -m tests.server.supported_page` from the handler table and the `Deviates:` remarks in the code;"
            " a test keeps it true.",
            "",
            "## APIs",
            "",
            "ApiVersions advertises exactly these. Any other key, and any version outside the range, closes the connection.",
            "",
            "| key | API | versions | Apache Kafka 4.3.1 | gaps |",
            "|---|---|---|---|---|",
            *_rows(),
            "",
            "Not served:",
            "",
            *(f"- {line}" for line in NOT_SERVED),
            "",
            "## Settings",
            "",
            "`muster serve --print-config` shows every setting with its value and origin. Kafka settings that begin with these"
            " and are not in [configuration](configuration.md) are refused, because what they are for is not built:",
            "",
            ", ".join(f"`{prefix}*`" for prefix in NOT_SUPPORTED_YET) + ".",
            "",
            "## Where Muster deviates from Kafka on purpose",
            "",
            "Each line stands in the code as `Deviates:`, at the place where it happens.",
            "",
            *_deviation_lines(),
            "",
        )
    )


def _rows() -> Iterator[str]:
    for key in sorted(HANDLERS):
        api = APIS[key]
        low, high = advertised_range(api)
        theirs = "{}-{}".format(*KAFKA_RANGES[key])
        yield f"| {key} | {api.name} | {low}-{high} | {theirs} | {GAPS.get(api.name, '')} |"


def _deviation_lines() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        for remark in deviations(path.read_text(encoding="utf-8")):
            yield f"- `{path.relative_to(SOURCE / 'muster').as_posix()}`: {with_links(remark)}"


def deviations(source: str) -> Iterator[str]:
    """The `Deviates:` remarks of one file, each as one line, whether in comments or docstrings."""
    lines = source.splitlines()
    for index, line in enumerate(lines):
        _, found, text = line.partition("Deviates: ")
        if not found:
            continue
        is_comment = line.lstrip().startswith("#")
        parts = [text]
        for following in lines[index + 1 :]:
            if parts[-1].endswith('"""') or not _goes_on(following, is_comment=is_comment):
                break
            parts.append(following.strip().removeprefix("#").strip())
        yield re.sub(r'\s*"""$', "", " ".join(parts)).strip()


def _goes_on(line: str, *, is_comment: bool) -> bool:
    stripped = line.strip()
    if "Deviates:" in stripped:
        return False
    if is_comment:
        return stripped.startswith("# ")
    return stripped not in ("", '"""')


if __name__ == "__main__":
    PAGE.write_text(build(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} written")
