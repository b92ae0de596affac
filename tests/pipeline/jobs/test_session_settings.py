"""What a session is started with: the class archive, the code that travels, Spark's settings."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from muster.pipeline import session
from muster.pipeline.java import Java
from muster.pipeline.session import SessionError, SessionSettings, open_session
from muster.pipeline.session_archive import ClassArchive
from muster.pipeline.session_code import package_code
from muster.pipeline.session_python import worker_environment
from muster.pipeline.session_settings import (
    JobSize,
    java_options,
    patient_master,
    session_settings,
    spark_settings,
)


def _archive(directory: Path, banner: str = "17.0.1") -> ClassArchive:
    return ClassArchive(Java(Path("/jdk"), 17, banner), "4.3.0", Path("/spark"), directory)


def test_the_first_session_makes_the_archive_and_the_second_uses_it(tmp_path: Path) -> None:
    first = _archive(tmp_path)
    (making,) = [option for option in first.java_options() if "ArchiveClassesAtExit" in option]
    Path(making.partition("=")[2]).write_bytes(b"classes")
    assert first.keep()
    second = _archive(tmp_path)
    assert f"-XX:SharedArchiveFile={second.path}" in second.java_options()
    assert not second.keep()


def test_a_session_that_was_killed_leaves_no_archive(tmp_path: Path) -> None:
    killed = _archive(tmp_path)
    killed.java_options()
    assert not killed.keep()
    assert not killed.exists


def test_another_build_of_java_gets_another_archive(tmp_path: Path) -> None:
    assert _archive(tmp_path, "17.0.1").path != _archive(tmp_path, "17.0.2").path


def test_a_home_that_cannot_be_written_to_costs_only_the_archive(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _archive(tmp_path / "file" / "cache").java_options() == []


def test_our_code_travels_whole_and_imports_from_the_zip(tmp_path: Path) -> None:
    packed = package_code(tmp_path)
    with zipfile.ZipFile(packed) as archive:
        assert "muster/pipeline/fold/kernel.py" in archive.namelist()
        assert "muster/wire/generated/__init__.py" in archive.namelist()
        assert any(name.startswith("muster/pipeline/report/assets/") for name in archive.namelist()), (
            "data files travel too"
        )
    program = "import muster.pipeline.fold.kernel as m; print(m.__file__)"
    asked = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(packed)}, capture_output=True, text=True, cwd=tmp_path
    )
    assert asked.stdout.startswith(str(packed)), asked.stderr


def test_code_that_came_as_a_zip_travels_as_that_zip(tmp_path: Path) -> None:
    packed = package_code(tmp_path)
    program = "import pathlib, muster.pipeline.session_code as m; print(m.package_code(pathlib.Path('elsewhere')))"
    asked = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(packed)}, capture_output=True, text=True, cwd=tmp_path
    )
    assert asked.stdout.strip() == str(packed), asked.stderr


def test_the_same_code_gives_the_same_zip(tmp_path: Path) -> None:
    assert package_code(tmp_path / "a").read_bytes() == package_code(tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("master", "reducers"), [("local", "1"), ("local[3]", "3"), ("local[2,4]", "2"), ("yarn", "64")]
)
def test_reducers_are_as_many_as_the_master_has_cores(master: str, reducers: str) -> None:
    chosen = spark_settings(SessionSettings(master=master, pending_records=100_000), [])
    assert chosen["spark.sql.shuffle.partitions"] == reducers


@pytest.mark.parametrize(
    ("pending", "size"),
    [
        (0, JobSize.TINY),
        (19_999, JobSize.TINY),
        (20_000, JobSize.SHORT),
        (499_999, JobSize.SHORT),
        (500_000, JobSize.LONG),
        (None, JobSize.LONG),
    ],
)
def test_what_is_pending_decides_how_java_compiles(pending: int | None, size: JobSize) -> None:
    settings = SessionSettings(pending_records=pending)
    chosen = spark_settings(settings, java_options(settings.size, 17))
    assert settings.size is size
    assert ("spark.sql.codegen.factoryMode" in chosen) == (size is JobSize.TINY)
    assert ("TieredStopAtLevel=1" in chosen["spark.driver.extraJavaOptions"]) == (size is not JobSize.LONG)


def test_a_java_that_no_longer_knows_vfork_is_not_told_of_it() -> None:
    assert any("VFORK" in option for option in java_options(JobSize.TINY, 21))
    assert not any("VFORK" in option for option in java_options(JobSize.TINY, 25))


def test_the_web_page_is_off_unless_it_is_asked_for() -> None:
    assert spark_settings(SessionSettings(), [])["spark.ui.enabled"] == "false"
    shown = spark_settings(SessionSettings(ui_port=4050), [])
    assert (shown["spark.ui.enabled"], shown["spark.ui.port"]) == ("true", "4050")


def test_a_server_of_others_gets_only_settings_of_a_session() -> None:
    chosen = session_settings(SessionSettings(master="sc://a:1", extra={"spark.sql.ansi.enabled": "false"}))
    assert all(name.startswith("spark.sql.") for name in chosen)
    assert chosen["spark.sql.ansi.enabled"] == "false"
    assert "spark.sql.shuffle.partitions" not in chosen


def test_what_the_user_sets_wins() -> None:
    settings = SessionSettings(
        extra={"spark.ui.enabled": "true", "spark.sql.session.timeZone": "CET"}, packages=("a:b:1", "c:d:2")
    )
    chosen = spark_settings(settings, [])
    assert chosen["spark.ui.enabled"] == "true"
    assert chosen["spark.sql.session.timeZone"] == "CET"
    assert chosen["spark.jars.packages"] == "a:b:1,c:d:2"


def test_without_pyspark_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == "pyspark" else object())
    with (
        pytest.raises(SessionError, match=r"needs pyspark: pip install '\.\[pipeline\]'"),
        open_session(SessionSettings()),
    ):
        raise AssertionError("a session without pyspark")


@pytest.mark.parametrize(
    ("master", "wish", "python"),
    [
        ("spark://a:7077", {}, sys.executable),
        ("yarn", {}, "python3"),
        ("k8s://https://api:6443", {}, "python3"),
        ("yarn", {"spark.pyspark.python": "./env/bin/python"}, "./env/bin/python"),
        ("local[2]", {"spark.pyspark.python": "/usr/bin/python3"}, "/usr/bin/python3"),
    ],
)
def test_workers_elsewhere_do_not_get_the_path_of_our_python(
    master: str, wish: dict[str, str], python: str, tmp_path: Path
) -> None:
    chosen = worker_environment(SessionSettings(master=master, extra=wish), tmp_path, {})
    assert chosen == {"PYSPARK_PYTHON": python}


def test_local_workers_import_the_installed_pyspark_not_the_zip(tmp_path: Path) -> None:
    chosen = worker_environment(SessionSettings(), tmp_path, {"PYTHONPATH": "/of/the/user"})
    program = "import sys; print(sys.executable, sys.path[1])"
    asked = subprocess.run(
        [chosen["PYSPARK_PYTHON"], "-c", program],
        env={**chosen, "PYTHONPATH": "/spark/pyspark.zip"},
        capture_output=True,
        text=True,
    )
    assert asked.stdout.split() == [sys.executable, "/of/the/user"], asked.stderr


def test_a_cache_that_cannot_be_written_to_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    chosen = worker_environment(SessionSettings(), tmp_path / "file" / "cache", {})
    assert chosen == {"PYSPARK_PYTHON": sys.executable}


@pytest.mark.parametrize("master", ["yarn", "k8s://https://api:6443", "spark://a:7077"])
def test_drivers_of_clusters_are_not_bound_to_loopback(master: str) -> None:
    settings = SessionSettings(master=master)
    chosen = spark_settings(settings, [])
    assert "spark.driver.host" not in chosen
    assert "spark.driver.bindAddress" not in chosen
    assert "SPARK_LOCAL_IP" not in session._java_environment(Java(Path("/jdk"), 17, ""), settings)


@pytest.mark.parametrize(
    ("master", "patient"),
    [
        ("local", "local[1,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2]", "local[2,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[2,1,512]", "local-cluster[2,1,512]"),
        ("spark://host:7077", "spark://host:7077"),
        ("yarn", "yarn"),
    ],
)
def test_local_masters_try_failed_tasks_again(master: str, patient: str) -> None:
    assert patient_master(master) == patient
