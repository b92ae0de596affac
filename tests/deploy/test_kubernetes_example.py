"""examples/kubernetes: its entry point starts what Spark's pods need, and its page shows arguments that exist.

No cluster is started: what Spark itself would say there is read from the classes of the installed one.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pyspark
import pytest

from muster.cli.main import _parser_for
from muster.pipeline import __main__ as entry

HOME = Path(__file__).parents[2] / "examples" / "kubernetes"
ENTRY_POINT = HOME / "entrypoint.sh"
DOCKERFILE = (HOME / "Dockerfile").read_text()
BACKEND = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
EXECUTOR = {
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@10.0.0.1:7078",
    "SPARK_EXECUTOR_ID": "3",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_EXECUTOR_MEMORY": "1024m",
    "SPARK_APPLICATION_ID": "spark-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.2",
    "SPARK_EXECUTOR_POD_NAME": "pod-3",
    "SPARK_RESOURCE_PROFILE_ID": "0",
}
"""What Spark sets in the pod of an executor."""


@pytest.fixture
def image(tmp_path: Path) -> dict[str, str]:
    """The variables of the image, with a Java and a spark-submit that only say what they were told."""
    for program in ("java/bin/java", "spark/bin/spark-submit"):
        path = tmp_path / program
        path.parent.mkdir(parents=True)
        path.write_text('#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@"\n')
        path.chmod(0o755)
    return {"PATH": os.environ["PATH"], "JAVA_HOME": str(tmp_path / "java"), "SPARK_HOME": str(tmp_path / "spark")}


def started(arguments: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """What the entry point starts with these arguments, as its words."""
    ran = subprocess.run(["bash", str(ENTRY_POINT), *arguments], env=dict(variables), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@cache
def texts_in_spark(name: str = "") -> bytes:
    """What stands in the classes of Spark's Kubernetes jar, or in those whose name begins so."""
    (path,) = (Path(pyspark.__file__).parent / "jars").glob("spark-kubernetes_*.jar")
    with zipfile.ZipFile(path) as jar:
        classes = (each for each in jar.namelist() if each.startswith(name) and each.endswith(".class"))
        return b"\n".join(map(jar.read, classes))


def shown_commands() -> list[list[str]]:
    blocks: list[str] = re.findall(r"```bash\n(.*?)```", (HOME / "README.md").read_text(), re.S)
    return [shlex.split(block.replace("\\\n", " ")) for block in blocks]


def settings_of(command: Sequence[str]) -> dict[str, str]:
    told = [after for word, after in pairwise(command) if word == "--conf"]
    return dict(each.split("=", 1) for each in told)


def test_an_executor_gets_what_spark_set_in_its_pod(image: dict[str, str]) -> None:
    options = {f"SPARK_JAVA_OPT_{number}": f"-Dsetting.{number}=of the driver" for number in range(11)}
    java, *told = started(["executor"], {**image, **EXECUTOR, **options, "SPARK_CLASSPATH": "/jars/*"})
    assert java == "java"
    assert told[:11] == list(options.values()), "in their order: the last one of a name wins"
    assert told[11:13] == ["-Xms1024m", "-Xmx1024m"]
    assert told[13:15] == ["-cp", f"/opt/spark/conf:/jars/*:{image['SPARK_HOME']}/jars/*"]
    assert told[15] == BACKEND
    assert dict(zip(told[16::2], told[17::2], strict=True)) == {
        "--driver-url": EXECUTOR["SPARK_DRIVER_URL"],
        "--executor-id": "3",
        "--cores": "2",
        "--app-id": "spark-1",
        "--hostname": "10.0.0.2",
        "--resourceProfileId": "0",
        "--podName": "pod-3",
    }


def test_an_executor_without_options_for_java_starts(image: dict[str, str]) -> None:
    assert started(["executor"], {**image, **EXECUTOR})[:2] == ["java", "-Xms1024m"]


def test_spark_knows_the_variables_the_class_and_its_flags() -> None:
    constants = texts_in_spark("org/apache/spark/deploy/k8s/Constants")
    for name in (*EXECUTOR, "SPARK_JAVA_OPT_", "SPARK_CLASSPATH", "SPARK_DRIVER_BIND_ADDRESS"):
        assert name.encode() in constants, name
    backend = texts_in_spark(BACKEND.replace(".", "/"))
    executor = ENTRY_POINT.read_text().split("\ndriver)")[0]
    flags = re.findall(r'--[\w-]+(?= "\$SPARK)', executor)
    assert [flag for flag in flags if flag.encode() not in backend] == []
    assert len(flags) == 7


def test_a_driver_is_submitted_in_its_pod_with_what_it_was_given(image: dict[str, str]) -> None:
    given = ["--properties-file", "/opt/spark/conf/spark.properties", "local:///a file.py", "--lake", "s3a://b/l"]
    submit, *told = started(["driver", *given], {**image, "SPARK_DRIVER_BIND_ADDRESS": "10.0.0.1"})
    assert submit == "spark-submit"
    assert settings_of(told) == {
        "spark.driver.bindAddress": "10.0.0.1",
        "spark.executorEnv.SPARK_DRIVER_POD_IP": "10.0.0.1",
    }
    assert told[4:] == ["--deploy-mode", "client", *given]


def test_anything_else_is_run_as_it_is(image: dict[str, str]) -> None:
    assert started(["printf", "%s", "two words"], image) == ["two words"]


def test_the_page_shows_flags_of_the_pipeline() -> None:
    client, cluster = shown_commands()
    assert client[:3] == ["muster", "pipeline", "run"]
    program = next(number for number, word in enumerate(cluster) if word.startswith("local://"))
    for flags in (client[3:], cluster[program + 1 :]):
        words = ["pipeline", "run", *flags]
        told = _parser_for(words)[0].parse_args(words)
        assert (told.bootstrap, told.lake, told.follow) == ("broker:9092", "s3a://bucket/lake", True)


def test_the_page_shows_settings_that_spark_knows() -> None:
    known = texts_in_spark()
    shown = {name for command in shown_commands() for name in settings_of(command) if "kubernetes" in name}
    assert "spark.kubernetes.container.image" in shown
    for name in shown:
        prefix, _, last = name.rpartition(".")  # Spark's own code puts some of the names together from these two
        assert name.encode() in known or (prefix.encode() in known and f".{last}".encode() in known), name


def test_the_page_and_the_image_mean_the_same_python() -> None:
    """The entry file lies where pip of the image puts it, and workers start the Python that it belongs to."""
    client, cluster = shown_commands()
    (version,) = re.findall(r"^FROM python:(3\.\d+)-", DOCKERFILE, re.M)
    (program,) = (word.removeprefix("local://") for word in cluster if word.startswith("local://"))
    assert entry.__file__ is not None
    installed = PurePosixPath(*Path(entry.__file__).parts[-3:])
    assert program == f"/usr/local/lib/python{version}/site-packages/{installed}"
    assert f"PYSPARK_PYTHON={settings_of(client)['spark.pyspark.python']} " in DOCKERFILE


def test_the_image_has_the_sparks_version_that_the_tests_have() -> None:
    assert f"ARG SPARK={pyspark.__version__}\n" in DOCKERFILE
