"""Options of delta-rs's storage from Spark's settings and from the environment, and Spark's settings from the environment.

Pure: mappings in, mappings out. A setting of Spark wins over the environment; a bucket's own setting
(`fs.s3a.bucket.NAME.`) wins over both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_S3A: Final = "spark.hadoop.fs.s3a."
_HADOOP: Final = "spark.hadoop."
_FROM_S3A: Final = {
    "access.key": "AWS_ACCESS_KEY_ID",
    "secret.key": "AWS_SECRET_ACCESS_KEY",
    "session.token": "AWS_SESSION_TOKEN",
    "endpoint.region": "AWS_REGION",
}
_FROM_ENVIRONMENT: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_ALLOW_HTTP",
    "AWS_CONDITIONAL_PUT",
)
_PATIENCE: Final = {"connect_timeout": "5s", "timeout": "60s", "max_retries": "3", "retry_timeout": "30s"}
"""A store that does not answer is reported after seconds; the defaults of delta-rs try for minutes."""
_DEFAULT_REGION: Final = "us-east-1"


def s3_options(settings: Mapping[str, str], environment: Mapping[str, str], bucket: str) -> dict[str, str]:
    given = _of_bucket(settings, bucket)
    found = {**_PATIENCE}
    found |= {name: environment[name] for name in _FROM_ENVIRONMENT if environment.get(name)}
    if "AWS_REGION" not in found:
        found["AWS_REGION"] = environment.get("AWS_DEFAULT_REGION") or _DEFAULT_REGION
    found |= {option: given[name] for name, option in _FROM_S3A.items() if given.get(name)}
    endpoint = _endpoint(given) or environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    if endpoint:
        found["AWS_ENDPOINT_URL"] = endpoint.rstrip("/")
        if endpoint.startswith("http://"):
            found["AWS_ALLOW_HTTP"] = "true"
    if "Anonymous" in given.get("aws.credentials.provider", ""):
        found["AWS_SKIP_SIGNATURE"] = "true"
    return found


def hdfs_options(settings: Mapping[str, str]) -> dict[str, str]:
    """Hadoop's own names are understood there; the rest comes from the files of HADOOP_CONF_DIR."""
    names = {name: name.removeprefix(_HADOOP) for name in settings if name.startswith(_HADOOP)}
    return {short: settings[name] for name, short in names.items() if short.startswith(("dfs.", "fs.defaultFS"))}


def spark_s3_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What S3A does not take from the environment by itself: where the store is. Keys it finds there."""
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    found: dict[str, str] = {}
    if endpoint:
        found |= {f"{_S3A}endpoint": endpoint, f"{_S3A}path.style.access": "true"}
        found[f"{_S3A}connection.ssl.enabled"] = "false" if endpoint.startswith("http://") else "true"
    if region or endpoint:
        found[f"{_S3A}endpoint.region"] = region or _DEFAULT_REGION
    return found


def _of_bucket(settings: Mapping[str, str], bucket: str) -> dict[str, str]:
    own = f"{_S3A}bucket.{bucket}."
    general = {name.removeprefix(_S3A): value for name, value in settings.items() if name.startswith(_S3A)}
    special = {name.removeprefix(own): value for name, value in settings.items() if name.startswith(own)}
    return {**general, **special}


def _endpoint(given: Mapping[str, str]) -> str | None:
    endpoint = given.get("endpoint")
    if not endpoint or "://" in endpoint:
        return endpoint
    plain = given.get("connection.ssl.enabled", "true").lower() == "false"
    return f"{'http' if plain else 'https'}://{endpoint}"
