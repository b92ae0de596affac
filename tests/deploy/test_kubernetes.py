"""The Kubernetes manifests: they are what Kubernetes takes, fit each other, and start nodes with flags that exist."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.log.postgres_server import empty_database

kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="no schemas of Kubernetes: kubernetes-validate")
yaml = pytest.importorskip("yaml")

HOME = Path(__file__).parents[2] / "deploy" / "kubernetes"
VERSIONS = ("1.27", "1.32")
"""The oldest that the manifests are meant for, and a newer one."""


def objects() -> dict[str, dict[str, Any]]:
    """By kind."""
    found = [each for path in sorted(HOME.glob("*.yaml")) for each in yaml.safe_load_all(path.read_text())]
    return {each["kind"]: each for each in found}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["Deployment", "Service", "PodDisruptionBudget", "Job", "Secret"])
def test_each_object_has_the_fields_that_kubernetes_knows_and_no_others(kind: str, version: str) -> None:
    kubernetes_validate.validate(objects()[kind], version, strict=True)


def test_a_field_that_is_misspelt_is_found() -> None:
    """Otherwise the test above would show nothing."""
    budget = objects()["PodDisruptionBudget"]
    budget["spec"]["maxUnavailabel"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(budget, VERSIONS[0], strict=True)


def test_selectors_ports_and_the_secret_fit_each_other() -> None:
    found = objects()
    pod = found["Deployment"]["spec"]["template"]
    labels = pod["metadata"]["labels"]
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert found["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert found["Service"]["spec"]["selector"] == labels
    assert found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert found["Job"]["spec"]["template"]["metadata"]["labels"] != labels, "clients would be sent to it"
    assert {port["targetPort"] for port in found["Service"]["spec"]["ports"]} == set(ports)
    assert {container[probe]["httpGet"]["port"] for probe in container if probe.endswith("Probe")} == {"metrics"}
    (name,) = found["Secret"]["stringData"]
    for each in (pod, found["Job"]["spec"]["template"]):
        (container,) = each["spec"]["containers"]
        (mount,) = (mount for mount in container["volumeMounts"] if mount["name"] == "store")
        (volume,) = (volume for volume in each["spec"]["volumes"] if volume["name"] == "store")
        assert volume["secret"]["secretName"] == found["Secret"]["metadata"]["name"]
        assert variable(container, "PGSERVICEFILE") == f"{mount['mountPath']}/{name}"
        assert "subPath" not in mount, "kubelet never changes such a file"
        assert each["spec"]["securityContext"]["fsGroup"], "it could not read the file"
        service = conninfo_to_dict(variable(container, "MUSTER_STORE"))["service"]
        assert f"[{service}]" in found["Secret"]["stringData"][name]


def variable(container: dict[str, Any], name: str) -> str:
    (value,) = (each["value"] for each in container["env"] if each["name"] == name)
    return str(value)


def test_the_job_and_the_pods_start_as_they_are_written(tmp_path: Path) -> None:
    """With 127.0.0.1 for the pod's address, ports that are free, and a database that is there."""
    found = objects()
    (job,) = found["Job"]["spec"]["template"]["spec"]["containers"]
    (pod,) = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert variable(job, "MUSTER_STORE") == variable(pod, "MUSTER_STORE")
    file = tmp_path / "pg_service.conf"
    database = conninfo_to_dict(empty_database())
    file.write_text("\n".join(["[muster]", *(f"{key}={value}" for key, value in database.items())]))
    environment = {**os.environ, "MUSTER_STORE": variable(pod, "MUSTER_STORE"), "PGSERVICEFILE": str(file)}
    muster = [sys.executable, "-m", "muster"]
    subprocess.run([*muster, *job["args"]], env=environment, check=True, capture_output=True)
    arguments = [
        each.replace("$(POD_IP):9092", "127.0.0.1:19092")
        .replace("0.0.0.0:9092", "127.0.0.1:0")
        .replace("0.0.0.0:9404", "127.0.0.1:0")
        for each in pod["args"]
    ]
    with subprocess.Popen([*muster, *arguments], env=environment, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdout is not None
        said = [node.stdout.readline(), node.stdout.readline()]
        node.terminate()
    assert [line.split()[0] for line in said] == ["listening", "metrics"]
    assert node.returncode == 0
