"""What a session is started with: the class archive, the code that travels, Spark's settings."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from muster.pipeline import session
from muster.pipeline.java import Java
from muster.pipeline.session import SessionError, SessionSettings, open_session, spark_settings
from muster.pipeline.session_archive import ClassArchive
from muster.pipeline.session_code import package_code


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
        assert "muster/pipeline/jobs_ingest.py" in archive.namelist()
        assert "muster/wire/generated/__init__.py" in archive.namelist()
    program = "import muster.pipeline.old.jobs_ingest as m; print(m.__file__)"
    asked = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(packed)}, capture_output=True, text=True, cwd=tmp_path
    )
    assert asked.stdout.startswith(str(packed)), asked.stderr


def test_the_same_code_gives_the_same_zip(tmp_path: Path) -> None:
    assert package_code(tmp_path / "a").read_bytes() == package_code(tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("master", "reducers"), [("local", "1"), ("local[3]", "3"), ("local[2,4]", "2"), ("yarn", "64")]
)
def test_reducers_are_as_many_as_the_master_has_cores(master: str, reducers: str, tmp_path: Path) -> None:
    chosen = spark_settings(SessionSettings(master=master), _archive(tmp_path))
    assert chosen["spark.sql.shuffle.partitions"] == reducers


def test_what_the_user_sets_wins(tmp_path: Path) -> None:
    settings = SessionSettings(extra={"spark.ui.enabled": "true"}, packages=("a:b:1", "c:d:2"))
    chosen = spark_settings(settings, _archive(tmp_path))
    assert chosen["spark.ui.enabled"] == "true"
    assert chosen["spark.jars.packages"] == "a:b:1,c:d:2"


def test_without_pyspark_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == "pyspark" else object())
    with (
        pytest.raises(SessionError, match=r"needs pyspark: pip install 'muster-kafka\[pipeline\]'"),
        open_session(SessionSettings()),
    ):
        raise AssertionError("a session without pyspark")


@pytest.mark.parametrize(
    ("master", "wish", "python"),
    [
        ("local[2]", {}, sys.executable),
        ("spark://a:7077", {}, sys.executable),
        ("yarn", {}, "python3"),
        ("k8s://https://api:6443", {}, "python3"),
        ("yarn", {"spark.pyspark.python": "./env/bin/python"}, "./env/bin/python"),
    ],
)
def test_workers_elsewhere_do_not_get_the_path_of_our_python(
    master: str, wish: dict[str, str], python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    settings = SessionSettings(master=master, extra=wish)
    chosen = session._java_environment(Java(Path("/jdk"), 17, ""), settings)
    assert chosen["PYSPARK_PYTHON"] == python
    assert ("SPARK_LOCAL_IP" in chosen) == settings.is_local


@pytest.mark.parametrize("master", ["yarn", "k8s://https://api:6443", "spark://a:7077"])
def test_drivers_of_clusters_are_not_bound_to_loopback(master: str, tmp_path: Path) -> None:
    chosen = spark_settings(SessionSettings(master=master), _archive(tmp_path))
    assert "spark.driver.host" not in chosen
    assert "spark.driver.bindAddress" not in chosen
