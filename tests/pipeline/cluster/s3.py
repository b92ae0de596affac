"""S3 on loopback: moto's server, with what Spark (`s3a://`, hadoop-aws) and delta-rs (`s3://`) have to be told to use it.

A real S3 needs fewer settings: the jars, and credentials where the machine has none of its own. delta-rs commits safely to S3 by
conditional writes (`If-None-Match`), which moto 5 knows as S3 does.
"""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.pipeline.cluster.needs import S3A, jars, python_with
from tests.pipeline.cluster.processes import server

_READY = re.compile(r"Running on http://127\.0\.0\.1:(\d+)")
_BUCKET = "lake-bucket"


@dataclass(frozen=True, slots=True)
class S3:
    endpoint: str

    @property
    def url(self) -> str:
        return f"s3a://{_BUCKET}"

    @property
    def spark_settings(self) -> dict[str, str]:
        files = jars("s3a", S3A).files
        return {
            "spark.jars": ",".join(str(path) for path in files),
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": "testing",
            "spark.hadoop.fs.s3a.secret.key": "testing",
            "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        }

    @property
    def environment(self) -> dict[str, str]:
        """The same for delta-rs, which reads the variables of the AWS tools."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_ALLOW_HTTP": "true",
        }


@contextmanager
def s3(directory: Path) -> Iterator[S3]:
    python = python_with("moto", ["moto[server]>=5.2"])
    command = [str(python.parent / "moto_server"), "-H", "127.0.0.1", "-p", "0"]
    with server(command, _READY, directory / "moto.log", os.environ) as ready:
        running = S3(f"http://127.0.0.1:{ready[1]}")
        made = urllib.request.Request(f"{running.endpoint}/{_BUCKET}", method="PUT", headers={"Authorization": _SIGNED})
        urllib.request.urlopen(made).close()
        yield running


_SIGNED = "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
