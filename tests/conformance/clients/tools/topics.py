"""kafka-topics, kafka-configs, kafka-get-offsets, kafka-delete-records, kafka-log-dirs and what shows the broker itself."""

from __future__ import annotations

import json
import re

from tests.conformance.clients.tools.shell import Shell


def create(shell: Shell) -> None:
    said = shell.run("topics", "--create", "--topic", "made", "--partitions", "3", "--config", "retention.ms=100000")
    assert "Created topic made." in said
    shell.saw("again", _without_trace(shell.run("topics", "--create", "--topic", "made", ends_with=1)))
    shell.run("topics", "--create", "--topic", "made", "--if-not-exists")
    shell.saw("bad name", _without_trace(shell.run("topics", "--create", "--topic", "a b", ends_with=1)))


def list_(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "listed-one")
    shell.run("topics", "--create", "--topic", "listed-two")
    said = shell.run("topics", "--list", "--topic", "listed-.*")
    assert said.split() == ["listed-one", "listed-two"]
    assert "__consumer_offsets" not in shell.run("topics", "--list", "--exclude-internal")


def describe(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "described", "--partitions", "2", "--config", "max.message.bytes=5000")
    shell.saw("described", shell.run("topics", "--describe", "--topic", "described"))
    shell.saw("with own configs", shell.run("topics", "--describe", "--topic", "described", "--topics-with-overrides"))
    shell.saw("under-replicated", shell.run("topics", "--describe", "--under-replicated-partitions"))
    shell.saw("unavailable", shell.run("topics", "--describe", "--unavailable-partitions"))
    unknown = shell.run("topics", "--describe", "--topic", "nobody-made-this", ends_with=1)
    shell.saw("unknown", _without_trace(unknown))


def alter(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "grown", "--partitions", "1")
    shell.run("topics", "--alter", "--topic", "grown", "--partitions", "4")
    assert "PartitionCount: 4" in shell.run("topics", "--describe", "--topic", "grown")
    fewer = shell.run("topics", "--alter", "--topic", "grown", "--partitions", "2", ends_with=1)
    shell.saw("fewer", _without_trace(fewer))


def delete(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "gone")
    shell.run("topics", "--delete", "--topic", "gone")
    assert "gone" not in shell.run("topics", "--list").split()
    shell.saw("again", _without_trace(shell.run("topics", "--delete", "--topic", "gone", ends_with=1)))
    shell.run("topics", "--delete", "--topic", "gone", "--if-exists")


def configs_of_topics(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "configured")
    which = ("--entity-type", "topics", "--entity-name", "configured")
    changes = "retention.ms=60000,cleanup.policy=[compact,delete]"
    shell.saw("altered", shell.run("configs", "--alter", *which, "--add-config", changes))
    shell.saw("described", shell.run("configs", "--describe", *which))
    shell.run("configs", "--alter", *which, "--delete-config", "retention.ms")
    shell.saw("after a removal", shell.run("configs", "--describe", *which))
    for line in shell.run("configs", "--describe", "--all", *which).splitlines()[1:]:
        name, _, value = line.strip().partition("=")
        shell.saw(name, value)
    bad = shell.run("configs", "--alter", *which, "--add-config", "retention.ms=soon", ends_with=1)
    shell.saw("a bad value", _without_trace(bad))


def configs_of_groups(shell: Shell) -> None:
    which = ("--entity-type", "groups", "--entity-name", "configured-group")
    changes = "consumer.session.timeout.ms=50000,consumer.heartbeat.interval.ms=3000"
    shell.saw("altered", shell.run("configs", "--alter", *which, "--add-config", changes))
    shell.saw("described", shell.run("configs", "--describe", *which))
    shell.run("configs", "--alter", *which, "--delete-config", "consumer.session.timeout.ms")
    shell.saw("after a removal", shell.run("configs", "--describe", *which))
    shell.saw("all", shell.run("configs", "--describe", "--entity-type", "groups"))
    bad = shell.run("configs", "--alter", *which, "--add-config", "consumer.session.timeout.ms=1", ends_with=1)
    shell.saw("a bad value", _without_trace(bad))


def configs_of_brokers(shell: Shell) -> None:
    which = ("--entity-type", "brokers", "--entity-name", "1")
    said = shell.run("configs", "--describe", "--all", *which)
    assert "group.initial.rebalance.delay.ms=0" in said
    shell.saw("dynamic", shell.run("configs", "--describe", *which))
    shell.saw("default", shell.run("configs", "--describe", "--entity-type", "brokers", "--entity-default"))


def get_offsets(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "offsets", "--partitions", "2")
    shell.run("console-producer", "--topic", "offsets", stdin="one\ntwo\nthree\n")
    for name, time in (("latest", "-1"), ("earliest", "-2"), ("max timestamp", "-3"), ("at 0", "0")):
        shell.saw(name, _numbers_summed(shell.run("get-offsets", "--topic", "offsets", "--time", time), name))
    assert shell.run("get-offsets", "--topic-partitions", "offsets:7", ends_with=1)


def _numbers_summed(said: str, name: str) -> str:
    """Which partition the sticky partitioner chose is chance; max timestamp is shown for the one that has records."""
    numbers = [int(each.rpartition(":")[2] or -1) for each in said.split()]
    return f"{len(numbers)} partitions, in all {sum(numbers)}"


def delete_records(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "cut", "--partitions", "1")
    shell.run("console-producer", "--topic", "cut", stdin="".join(f"line {number}\n" for number in range(10)))
    plan = shell.folder / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [{"topic": "cut", "partition": 0, "offset": 6}]}))
    shell.saw("cut", shell.run("delete-records", "--offset-json-file", str(plan)))
    assert "cut:0:6" in shell.run("get-offsets", "--topic", "cut", "--time", "-2")
    read = shell.run("console-consumer", "--topic", "cut", "--from-beginning", "--max-messages", "4")
    assert "line 6" in read
    assert "line 5" not in read


def log_dirs(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "stored", "--partitions", "2")
    said = shell.run("log-dirs", "--describe", "--topic-list", "stored")
    described = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    (broker,) = described["brokers"]
    (directory,) = broker["logDirs"]
    shell.saw("keys", " ".join(sorted(directory)))
    shell.saw("partitions", json.dumps(sorted(directory["partitions"], key=lambda each: str(each["partition"]))))
    assert directory["error"] is None
    assert broker["broker"] == 1


def broker_api_versions(shell: Shell) -> None:
    said = shell.run("broker-api-versions")
    assert f"127.0.0.1:{shell.node.port} (id: 1 rack: null isFenced: false) -> (" in said
    for api, versions in re.findall(r"^\t(\S+?)\(\d+\): ([^,\n]+)", said, re.MULTILINE):
        shell.saw(api, versions)


def features(shell: Shell) -> None:
    shell.saw("described", re.sub(r"Epoch: \d+", "Epoch: N", shell.run("features", "describe")))


def _without_trace(said: str) -> str:
    """The sentence, not the stack below it, which begins at a time of day."""
    kept = [line for line in said.splitlines() if not re.match(r"\s+at |\t|Caused by|\[?\d{4}-", line)]
    return "\n".join(kept)
