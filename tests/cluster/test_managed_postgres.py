"""A database that somebody else runs: no superuser, TLS with verify-full, passwords that change (docs/cluster.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.cluster.light_load import LightLoad
from tests.cluster.managed_postgres import ManagedPostgres
from tests.cluster.node_process import NodeProcess
from tests.interop.waiting import eventually
from tests.security.certificates import Authority

pytestmark = pytest.mark.xdist_group("cluster")

OWNER = "muster_owner"
"""Has the schema and may make tables in it."""
NODE = "muster_node"
"""May read and change rows, and nothing else."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def provided(authority: Authority) -> Iterator[ManagedPostgres]:
    with ManagedPostgres(authority.server()) as database:
        for role in (OWNER, NODE):
            database.as_provider(f"CREATE ROLE {role} LOGIN NOSUPERUSER PASSWORD 'first'")
        yield database


class Operator:
    """What the one has who runs the nodes: an address, a password file, and a shell."""

    def __init__(self, home: Path, database: ManagedPostgres, authority: Authority) -> None:
        self.home = home
        self._database = database
        self._authority = authority
        self._file = home / "passwords"
        self._services = home / "services"
        self.write_passwords("first")

    @property
    def environment(self) -> dict[str, str]:
        return {"PGPASSFILE": str(self._file), "PGSERVICEFILE": str(self._services)}

    def write_passwords(self, password: str) -> None:
        self._file.write_text(f"*:*:*:*:{password}\n")
        self._file.chmod(0o600)

    def write_service(self, password: str) -> str:
        """For the role of nodes, in a file that everybody may read: libpq takes no such file for passwords alone. Returns the
        address that is used then."""
        parts = {**conninfo_to_dict(self.url(NODE)), "password": password}
        self._services.write_text("\n".join(["[muster]", *(f"{key}={value}" for key, value in parts.items())]))
        self._services.chmod(0o644)
        return "postgresql:///?service=muster"

    def url(self, role: str, **parameters: str) -> str:
        if not self._database.has_tls:
            return self._database.url(role, **parameters)
        return self._database.url(role, **{"sslmode": "verify-full", "sslrootcert": self._authority.file, **parameters})

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "muster", *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def refusal(self, *arguments: str) -> str:
        """The one line that it is refused with."""
        done = self.run(*arguments)
        assert done.returncode == 1, done
        (line,) = done.stderr.splitlines()
        return line


@pytest.fixture
def operator(tmp_path: Path, provided: ManagedPostgres, authority: Authority) -> Operator:
    return Operator(tmp_path, provided, authority)


def prepare(provided: ManagedPostgres, operator: Operator) -> None:
    """As docs/cluster.md says: the provider makes the schema, its owner the tables, nodes get rights on rows."""
    provided.as_provider(f"CREATE SCHEMA IF NOT EXISTS muster AUTHORIZATION {OWNER}")
    done = operator.run("store", "migrate", operator.url(OWNER))
    assert done.returncode == 0, done.stderr
    provided.as_provider(
        f"GRANT USAGE ON SCHEMA muster TO {NODE}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA muster TO {NODE}",
    )


def test_a_role_that_may_not_make_the_schema_is_told_what_its_provider_has_to_say(
    provided: ManagedPostgres, operator: Operator
) -> None:
    provided.as_provider("DROP SCHEMA IF EXISTS muster CASCADE")
    line = operator.refusal("store", "migrate", operator.url(NODE))
    assert f'let the owner of the database say `CREATE SCHEMA muster AUTHORIZATION "{NODE}"`' in line


def test_a_role_without_rights_on_the_tables_is_told_so(provided: ManagedPostgres, operator: Operator) -> None:
    prepare(provided, operator)
    provided.as_provider(f"REVOKE ALL ON ALL TABLES IN SCHEMA muster FROM {NODE}")
    assert "the database refused: permission denied for table" in operator.refusal(
        "store", "status", operator.url(NODE)
    )


def test_a_node_with_rights_on_rows_alone_goes_on_when_its_password_changes_and_its_sessions_end(
    provided: ManagedPostgres, operator: Operator
) -> None:
    """The password file is read for every new connection. Here the operator is late with it, and the node waits for him."""
    prepare(provided, operator)
    node = NodeProcess(operator.home, operator.url(NODE), 1)
    node.environment = operator.environment
    node.start()
    try:
        with LightLoad({1: node}) as load:
            load.progress()
            provided.as_provider(f"ALTER ROLE {NODE} PASSWORD 'second'")
            load.progress()
            assert provided.end_sessions_of(NODE) > 0
            eventually("the node to be refused", lambda: "password authentication failed" in node.log)
            operator.write_passwords("second")
            load.progress()
            load.settle()
        node.stop()
        assert "Traceback" not in node.log, node.log
    finally:
        node.kill()
        provided.as_provider(f"ALTER ROLE {NODE} PASSWORD 'first'")


def test_a_node_whose_whole_address_is_in_a_service_file_goes_on_when_its_password_changes(
    provided: ManagedPostgres, operator: Operator
) -> None:
    """As the files of deploy/kubernetes do it."""
    provided.as_provider("DROP SCHEMA IF EXISTS muster CASCADE")
    prepare(provided, operator)
    node = NodeProcess(operator.home, operator.write_service("first"), 1)
    node.environment = {**operator.environment, "PGPASSFILE": os.devnull}
    node.start()
    try:
        with LightLoad({1: node}) as load:
            load.progress()
            provided.as_provider(f"ALTER ROLE {NODE} PASSWORD 'second'")
            operator.write_service("second")
            assert provided.end_sessions_of(NODE) > 0
            load.progress()
            load.settle()
        node.stop()
        assert "Traceback" not in node.log, node.log
    finally:
        node.kill()
        provided.as_provider(f"ALTER ROLE {NODE} PASSWORD 'first'")


def test_verify_full_refuses_another_host_name_and_another_authority(
    provided: ManagedPostgres, operator: Operator, tmp_path: Path
) -> None:
    if not provided.has_tls:
        pytest.skip("no PostgreSQL with TLS on this machine (those of PyPI have none; Debian's package `postgresql`)")
    prepare(provided, operator)
    assert operator.run("store", "status", operator.url(OWNER)).returncode == 0
    elsewhere = operator.url(OWNER, host="db.example", hostaddr="127.0.0.1")
    line = operator.refusal("store", "status", elsewhere)
    assert 'server certificate for "localhost" (and 1 other name) does not match host name "db.example"' in line
    stranger = Authority(tmp_path, "stranger")
    line = operator.refusal("store", "status", operator.url(OWNER, sslrootcert=stranger.file))
    assert "certificate verify failed" in line
    line = operator.refusal("store", "status", operator.url(OWNER, sslrootcert=str(tmp_path / "missing.crt")))
    assert f'root certificate file "{tmp_path / "missing.crt"}" does not exist' in line
