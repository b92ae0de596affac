"""A lake's URL in Spark's form and in delta-rs's, and how its store is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location, scheme_of
from muster.pipeline.lake.storage_options import spark_s3_settings

S3A = "spark.hadoop.fs.s3a."


@pytest.mark.parametrize("form", ["{}", "file://{}", "file:{}", "FILE:{}/", "{}/"])
def test_local_path_is_a_file_url_for_spark_and_a_path_for_delta(form: str, tmp_path: Path) -> None:
    here = Location.parse(form.format(tmp_path / "my lake"))
    assert here.url == f"file://{tmp_path}/my lake"
    assert here.delta_url == f"{tmp_path}/my lake"
    assert here.local == tmp_path / "my lake"
    assert here.options is None
    assert here.checkpoint("a/b") == f"file://{tmp_path}/my lake/_checkpoint/a%2Fb"


def test_url_with_one_slash_has_no_host_and_a_drive_is_no_scheme() -> None:
    assert Location.parse("hdfs:/lake").url == Location.parse("hdfs:///lake").url == "hdfs:///lake"
    assert [scheme_of(url) for url in ("dbfs:/lake", "S3A://bucket", "C:/lake", "a/b:/c", "/data")] == [
        "dbfs",
        "s3a",
        "",
        "",
        "",
    ]


def test_hdfs_url_is_the_same_for_both_and_takes_hadoop_settings() -> None:
    there = Location.parse("hdfs://name:9000/lake/", {"spark.hadoop.dfs.client.use.datanode.hostname": "true"})
    assert (there.url, there.delta_url) == ("hdfs://name:9000/lake", "hdfs://name:9000/lake")
    assert there.table_url("g_lag") == "hdfs://name:9000/lake/table=g_lag"
    assert there.options == {"dfs.client.use.datanode.hostname": "true"}
    assert there.local is None


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_bucket_is_s3a_for_spark_and_s3_for_delta(scheme: str) -> None:
    settings = {
        f"{S3A}access.key": "me",
        f"{S3A}secret.key": "hidden",
        f"{S3A}endpoint": "store:9000",
        f"{S3A}connection.ssl.enabled": "false",
    }
    there = Location.parse(f"{scheme}://bucket/a/lake", settings, {"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "x"})
    assert (there.url, there.delta_url) == ("s3a://bucket/a/lake", "s3://bucket/a/lake")
    options = dict(there.storage_options)
    assert options["AWS_ACCESS_KEY_ID"] == "me", "what Spark is told wins over the environment"
    assert options["AWS_ENDPOINT_URL"] == "http://store:9000"
    assert options["AWS_ALLOW_HTTP"] == "true"
    assert options["AWS_REGION"] == "eu-west-1"
    assert "hidden" not in repr(there)


def test_setting_of_one_bucket_wins_over_that_of_all() -> None:
    settings = {f"{S3A}access.key": "all", f"{S3A}bucket.mine.access.key": "one"}
    assert Location.parse("s3a://mine/lake", settings, {}).storage_options["AWS_ACCESS_KEY_ID"] == "one"
    assert Location.parse("s3a://other/lake", settings, {}).storage_options["AWS_ACCESS_KEY_ID"] == "all"


def test_environment_alone_is_enough_for_both_sides() -> None:
    environment = {"AWS_ENDPOINT_URL": "http://store:9000", "AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "s"}
    options = Location.parse("s3a://bucket/lake", None, environment).storage_options
    assert options["AWS_ENDPOINT_URL"] == "http://store:9000"
    assert options["AWS_ALLOW_HTTP"] == "true"
    assert spark_s3_settings(environment)[f"{S3A}endpoint"] == "http://store:9000"
    assert spark_s3_settings({}) == {}


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://host/lake", "ftp:// is not supported; a lake is a local path, file://, hdfs:// or s3a://"),
        ("s3a:///lake", "name the bucket"),
        ("s3a:/lake", "name the bucket"),
        ("", "names no place"),
    ],
)
def test_url_that_can_be_no_lake_is_refused_with_what_can(url: str, says: str) -> None:
    with pytest.raises(LakeError, match=says):
        Location.parse(url)
