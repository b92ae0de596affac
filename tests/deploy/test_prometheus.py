"""The alert rules, the dashboard and the metrics page itself, judged by Prometheus' own tool."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from muster.testing import Broker
from tests.server.test_metrics_listen import page
from tests.testing.confluent_members import PATIENCE_SECONDS, consumer

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "muster-alerts.yml"
CASES = RULES.with_name("muster-alerts-test.yml")
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "muster.json").read_text(encoding="utf-8"))
VARIABLES = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
LINT_ONLY = 3
"""The exit code of `promtool check metrics` for a page that it can read and would have named otherwise."""
METRIC = re.compile(r"\b(?:muster|process)_\w+")
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed (Debian: apt install prometheus)"
)


def promtool(*arguments: str) -> str:
    ran = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def scraped() -> Iterator[str]:
    """The page of a server whose group has committed, lags and has rebalanced."""
    with Broker({"muster.metrics.listen": "127.0.0.1:0"}, topics={"orders": 2}) as broker:
        broker.produce("orders", "a", "b", "c")
        with consumer(broker, group="billing", topic="orders") as member:
            broker.group("billing").wait("Stable", members=1)
            member.commit(0, 1).result(PATIENCE_SECONDS)
            yield page(broker._running)


def expressions() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]


@needs_promtool
def test_the_alert_rules_are_valid_and_fire_when_they_should() -> None:
    assert "SUCCESS" in promtool("check", "rules", str(RULES))
    assert "SUCCESS" in promtool("test", "rules", str(CASES))


def test_every_alert_is_seen_to_fire() -> None:
    rules, cases = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (RULES, CASES))
    looks = [look for test in cases["tests"] for look in test["alert_rule_test"]]
    fires = {look["alertname"] for look in looks if look["exp_alerts"]}
    assert fires == {rule["alert"] for group in rules["groups"] for rule in group["rules"]}


@needs_promtool
def test_prometheus_can_read_the_page(scraped: str) -> None:
    """All that it minds is names that are Kafka's, in milliseconds: docs/metrics.md."""
    ran = subprocess.run(["promtool", "check", "metrics"], input=scraped, capture_output=True, text=True, timeout=60)
    assert ran.returncode in (0, LINT_ONLY), ran.stderr
    assert [line for line in ran.stderr.splitlines() if line.strip() and "_ms" not in line] == []


@needs_promtool
def test_the_dashboard_asks_what_prometheus_understands(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yml"
    asked = [{"record": f"panel:{n}", "expr": _with_values(expr)} for n, expr in enumerate(expressions())]
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": asked}]}), encoding="utf-8")
    assert f"{len(asked)} rules found" in promtool("check", "rules", str(rules))


def _with_values(expression: str) -> str:
    return expression.replace("$instance", ".*").replace("$group", ".*")


def test_rules_and_dashboard_name_only_metrics_that_there_are(scraped: str) -> None:
    known = set(re.findall(r"^# TYPE (\w+)", scraped, flags=re.MULTILINE))
    alerts = re.findall(r"expr: (.*)", RULES.read_text(encoding="utf-8"))
    choices = [variable["query"]["query"] for variable in VARIABLES.values() if variable["type"] == "query"]
    used = {name for text in (*expressions(), *alerts, *choices) for name in METRIC.findall(text)}
    assert used - known == set()
    assert len(used) > 15


def test_a_group_can_be_chosen_whatever_its_protocol_and_if_it_only_commits() -> None:
    """Members are of both protocols, for the first thousand groups; the age of commits is of all that have committed."""
    choices = METRIC.findall(VARIABLES["group"]["query"]["query"])
    assert choices == ["muster_group_members", "muster_group_last_commit_age_seconds"]


def test_committed_offset_lag_and_cause_are_on_the_page(scraped: str) -> None:
    lines = scraped.splitlines()
    assert 'muster_group_committed_offset{group="billing",topic="orders",partition="0"} 1' in lines
    assert 'muster_group_lag{group="billing",topic="orders",partition="0"} 1' in lines
    assert 'muster_group_total_lag{group="billing"} 1' in lines
    assert 'muster_rebalances_total{cause="first_member"} 1' in lines
    assert "muster_hidden_offsets 0" in lines
    assert any(line.startswith('muster_group_last_commit_age_seconds{group="billing"}') for line in lines)


def test_unknown_is_said_on_the_dashboard() -> None:
    assert {name for text in expressions() for name in METRIC.findall(text)} >= {
        "muster_group_unknown_lag",
        "muster_hidden_offsets",
        "muster_hidden_groups",
    }
    (by_group,) = (panel for panel in DASHBOARD["panels"] if panel["title"] == "Lag by group")
    assert "In a cluster" in by_group["description"]
    values = {panel["fieldConfig"]["defaults"]["noValue"] for panel in DASHBOARD["panels"] if panel["type"] != "row"}
    assert values == {"not known"}
