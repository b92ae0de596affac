"""A PostgreSQL as a provider gives it: reached by TCP alone, with passwords, with TLS where its programs can, and no superuser.

The provider's own way in is a Unix socket, for what a console would do. Programs that speak TLS are looked for beside those of
`postgres_process`: those from PyPI do not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import psycopg

from tests.cluster.postgres_process import programs
from tests.ports import free_port
from tests.security.certificates import Issued

_USER = "nobody" if os.geteuid() == 0 else None
PROVIDER = "provider"
DATABASE = "app"


@cache
def programs_with_tls() -> Path | None:
    """Where the newest PostgreSQL with TLS is that this machine has."""
    found = shutil.which("postgres")
    places = [programs(), *([Path(found).parent] if found else []), *Path("/usr/lib/postgresql").glob("*/bin")]
    able = [place for place in places if _speaks_tls(place)]
    return max(able, key=lambda place: place.parent.name) if able else None


def _speaks_tls(place: Path) -> bool:
    said = subprocess.run(
        [str(place / "postgres"), "--describe-config"], user=_USER, cwd="/", capture_output=True, text=True, check=False
    )
    ciphers = [line.split("\t") for line in said.stdout.splitlines() if line.startswith("ssl_ciphers\t")]
    return any("none" not in columns for columns in ciphers)


class ManagedPostgres:
    """Used with `with`. `has_tls` says whether `certificate` is used."""

    def __init__(self, certificate: Issued) -> None:
        place = programs_with_tls()
        self.has_tls = place is not None
        self._programs = place or programs()
        self._home = Path(tempfile.mkdtemp(prefix="muster-managed-pg-"))
        self._directory = self._home / "data"
        self.port = free_port()
        if _USER is not None:
            shutil.chown(self._home, _USER)
        self._call("initdb", "--auth=trust", "--encoding=utf8", "--no-sync", "-U", PROVIDER, "-D", str(self._directory))
        self._write("pg_hba.conf", f"local all {PROVIDER} trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        self._write("server.crt", certificate.certificate_pem)
        self._write("server.key", certificate.key_pem())

    def _write(self, name: str, text: str) -> None:
        path = self._directory / name
        path.write_text(text)
        path.chmod(0o600)
        if _USER is not None:
            shutil.chown(path, _USER)

    def url(self, role: str, host: str = "localhost", **parameters: str) -> str:
        """As the operator writes it, without the password."""
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
        return f"postgresql://{role}@{host}:{self.port}/{DATABASE}?{query}"

    def as_provider(self, *statements: str, database: str = DATABASE) -> None:
        with self._provider(database) as connection:
            for statement in statements:
                connection.execute(statement)

    def end_sessions_of(self, role: str) -> int:
        with self._provider(DATABASE) as connection:
            ended = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (role,)
            )
            return len(ended.fetchall())

    def _provider(self, database: str) -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(self._home), port=self.port, user=PROVIDER, dbname=database, autocommit=True)

    def __enter__(self) -> ManagedPostgres:
        options = (
            f"-c fsync=off -c ssl={'on' if self.has_tls else 'off'} -c listen_addresses=127.0.0.1 -c port={self.port} "
            f"-k {self._home}"
        )
        log = str(self._home / "log")
        self._call("pg_ctl", "-D", str(self._directory), "-w", "-s", "-l", log, "-o", options, "start")
        self.as_provider(f"CREATE DATABASE {DATABASE}", database="postgres")
        return self

    def _call(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(
                [str(self._programs / program), *arguments], stdout=said, stderr=said, user=_USER, cwd="/", check=False
            )
            said.seek(0)
            assert done.returncode == 0, f"{program} ended with {done.returncode}: {said.read()}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if (self._directory / "postmaster.pid").exists():
            self._call("pg_ctl", "-D", str(self._directory), "-w", "-s", "-m", "immediate", "stop")
        shutil.rmtree(self._home, ignore_errors=True)
