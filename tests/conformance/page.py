"""docs/compatibility.md, made from what was found: the recording, the deviations, and the last run of the other languages' clients.

`python -m tests.conformance.page` writes it; a test fails when it no longer tells what the files say.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from muster.wire.apis import API_KEYS, APIS
from muster.wire.errors import name_of
from tests.conformance.clients.java.client import OLDER_VERSION
from tests.conformance.clients.spark.client import VERSION as SPARK_VERSION
from tests.conformance.clients.streams.killed import KILLS, STATE_LOST_AT
from tests.conformance.deviations import DEVIATIONS, TO_MEND
from tests.conformance.kafka import VERSION
from tests.conformance.recording import FOLDER
from tests.conformance.script import all_scripts
from tests.house.citations import with_links

PAGE: Final = Path(__file__).parents[2] / "docs" / "compatibility.md"
CLIENTS: Final = Path(__file__).parent / "clients" / "results.md"
"""The table that `python -m tests.conformance.clients --markdown` wrote last."""
_VERSION = re.compile(r"\bv(\d+)\b")
_ERROR = re.compile(r'"(?:partition_)?error_code": (-?\d+)')


def text() -> str:
    return "\n".join([*_opening(), *_apis(), *_deviations(), *_clients()]) + "\n"


def _plays() -> Iterator[tuple[str, dict[str, Any]]]:
    for script in all_scripts():
        path = FOLDER / f"{script.name}.json"
        if path.exists():
            yield from json.loads(path.read_text()).items()


def _opening() -> Iterator[str]:
    plays = list(_plays())
    answers = sum(len(play["answers"]) for _, play in plays)
    records = sum(len(play["records"]) for _, play in plays)
    yield "# Compatibility"
    yield ""
    yield f"The judge is Apache Kafka {VERSION}. The same conversations are held with it and with Muster, and every field"
    yield "of every answer is compared after members, times and ids have been given names; so are the records that the"
    yield "coordinators write, byte by byte."
    yield ""
    yield f"- {len(plays)} conversations with {answers} answers and {records} records (`tests/conformance/scripts`)."
    yield "- `make test` replays them against the recording of the real broker; no Java is needed."
    yield "- `make conformance` holds them with both brokers, lets each read what the other wrote (groups, offsets, and"
    yield "  transactions that are open, committed, aborted or timed out meanwhile), and runs clients of other languages."
    yield "- `make conformance-record` renews the recording."
    yield ""
    yield "This page is made from the result: `python -m tests.conformance.page`."
    yield ""


def _apis() -> Iterator[str]:
    versions: dict[str, set[int]] = defaultdict(set)
    answers: Counter[str] = Counter()
    errors: dict[str, set[int]] = defaultdict(set)
    for _, play in _plays():
        for step, api, got in play["answers"]:
            if api not in API_KEYS:
                continue
            answers[api] += 1
            errors[api].update(int(code) for code in _ERROR.findall(json.dumps(got)))
            found = _VERSION.search(step.split(api, 1)[-1])
            if found:
                versions[api].add(int(found.group(1)))
    yield "## API x version"
    yield ""
    yield "| API | served | compared | answers | errors among them |"
    yield "|---|---|---|---|---|"
    for api in sorted(answers):
        served = APIS[API_KEYS[api]]
        names = ", ".join(name_of(code) for code in sorted(errors[api]) if code)
        asked = _ranges(version for version in versions[api] if served.has_version(version))
        yield f"| {api} | {served.min_version}-{served.max_version} | {asked} | {answers[api]} | {names} |"
    yield ""


def _ranges(numbers: Iterator[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs) or "latest"


def _deviations() -> Iterator[str]:
    yield "## Deviations"
    yield ""
    yield "Where an answer differs and is meant to. What is not listed here is a fault."
    yield ""
    reasons = dict.fromkeys((each.reason, each.api) for each in DEVIATIONS)
    for reason, api in reasons:
        where = "" if api == "*" else f"{api}: "
        yield with_links(f"- {where}{reason}.")
    if TO_MEND:
        yield ""
        yield "Known and not yet mended:"
        yield ""
        for each in TO_MEND:
            yield f"- {each.reason}."
    yield ""
    yield "[supported.md](supported.md) lists every place in the code that says `Deviates:`."
    yield ""


def _clients() -> Iterator[str]:
    yield "## Client x feature"
    yield ""
    yield "confluent-kafka, aiokafka, kafka-python and kcat run in `make test` (`tests/interop`). The clients below run in"
    yield "`make conformance`, against both brokers; this is what the last run of each feature found."
    yield ""
    yield from _client_versions()
    yield ""
    if not CLIENTS.exists():
        yield "No run has been kept."
        return
    yield from CLIENTS.read_text(encoding="utf-8").splitlines()


def _client_versions() -> Iterator[str]:
    go = re.findall(r"github.com/twmb/(franz-go\S*) v(\S+)", (CLIENTS.parent / "go" / "go.mod").read_text())
    node = json.loads((CLIENTS.parent / "node" / "package.json").read_text())["dependencies"]
    yield f"- java: kafka-clients {VERSION}, which speaks the second transaction protocol (KIP-890); kafka-clients {OLDER_VERSION},"
    yield "  which speaks the first."
    yield f"- tools: the classes behind Kafka {VERSION}'s scripts, `kafka-transactions.sh` among them. Its hanging transactions are"
    yield "  made with `transaction.partition.verification.enable=false`."
    yield f"- go: {', '.join(f'{name} {version}' for name, version in go[:2])}. node: KafkaJS {node['kafkajs']}."
    yield f"- spark: {SPARK_VERSION} with its Kafka connector."
    yield f"- streams: Kafka Streams {VERSION} with `exactly_once_v2`. With read_committed every word is seen with the counts"
    lost = len(STATE_LOST_AT)
    yield f"  1, 2, ... n, each once and in order, after {KILLS} kills in the middle of the work ({lost} of them with the"
    yield "  state directory lost), and after a freeze from which the application wakes up as a zombie."


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(f"{PAGE.relative_to(Path.cwd())} written")
