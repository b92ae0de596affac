"""The table that the run ends with: client x feature x broker, then what failed, what differs, what could not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tests.conformance.clients.contract import Findings, Status, Verdict
from tests.conformance.clients.differences import Difference, refusal_is_meant

Outcomes = Mapping[str, Mapping[str, Findings]]
"""By client, then by broker."""


def table(outcomes: Outcomes, brokers: Iterable[str]) -> Iterator[str]:
    columns = list(brokers)
    names = [feature for each in outcomes.values() for feature in _features(each)]
    width = max(map(len, ["feature", *names])) + 2
    yield f"{'client':12}{'feature':{width}}" + "".join(f"{each:12}" for each in columns)
    for client, by_broker in outcomes.items():
        for feature in _features(by_broker):
            cells = [_verdict(by_broker, broker, feature).status.value for broker in columns]
            yield f"{client:12}{feature:{width}}" + "".join(f"{each:12}" for each in cells)


def markdown(outcomes: Outcomes, brokers: Iterable[str]) -> Iterator[str]:
    """The same table for the documentation."""
    columns = list(brokers)
    yield "| client | feature | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 2) + "|"
    for client, by_broker in outcomes.items():
        for feature in _features(by_broker):
            cells = [_verdict(by_broker, broker, feature).status.value for broker in columns]
            yield f"| {client} | {feature} | " + " | ".join(cells) + " |"


def reasons(outcomes: Outcomes, statuses: tuple[Status, ...]) -> Iterator[str]:
    """Why cells have these statuses, features with one and the same reason on one line."""
    for client, by_broker in outcomes.items():
        for broker, found in by_broker.items():
            by_reason: dict[str, list[str]] = {}
            for feature, verdict in found.verdicts.items():
                if verdict.status in statuses:
                    by_reason.setdefault(f"{verdict.status.value}: {verdict.why}", []).append(feature)
            for why, features in by_reason.items():
                which = ", ".join(features) if len(features) < 4 else f"{len(features)} features"
                yield f"{client} at {broker}: {which}: {why}"


def shown(differences: Iterable[Difference]) -> Iterator[str]:
    """What differs and is meant, by its reason; then each difference that is a fault, in full."""
    meant: dict[str, list[str]] = {}
    faults: list[Difference] = []
    for each in differences:
        if each.reason:
            meant.setdefault(each.reason, []).append(f"{each.client}: {each.feature}: {each.what}")
        else:
            faults.append(each)
    for reason, which in meant.items():
        yield f"differs as meant, {len(which)} times: {reason} ({which[0]}{', ...' if len(which) > 1 else ''})"
    yield f"{len(faults)} differences from Kafka that are not meant"
    yield from (f"  {each}" for each in faults)


def is_green(outcomes: Outcomes, differences: Iterable[Difference]) -> bool:
    """Nothing failed at Muster, nothing was refused that is built, and every difference from Kafka is meant."""
    for client, by_broker in outcomes.items():
        for feature, verdict in by_broker.get("Muster", Findings()).verdicts.items():
            if verdict.status is Status.FAIL:
                return False
            if verdict.status is Status.REFUSED and not refusal_is_meant(client, feature):
                return False
    return all(each.reason for each in differences)


def _features(by_broker: Mapping[str, Findings]) -> list[str]:
    return list(dict.fromkeys(feature for found in by_broker.values() for feature in found.verdicts))


def _verdict(by_broker: Mapping[str, Findings], broker: str, feature: str) -> Verdict:
    found = by_broker.get(broker, Findings())
    return found.verdicts.get(feature, Verdict(Status.NOT_RUN))
