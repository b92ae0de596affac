"""Where `muster users` finds the users: in a data directory, in the database of a cluster, or at a running server. All offer
the same three things."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from muster.cli.support.cluster_command import usable_cluster
from muster.client.failure import ClientError
from muster.extras import install_command
from muster.log.contract import NOBODY, StorageError
from muster.log.directory import PRIVATE_DOCUMENTS, DirectoryLock, document_path, prepare_directory
from muster.log.disk import Disk, replace_file
from muster.log.documents import Documents
from muster.security.sasl import SCRAM_SHA_256, SCRAM_SHA_512
from muster.security.users import Users, new_credential

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_NUMBERS = {SCRAM_SHA_256: 1, SCRAM_SHA_512: 2}
_NAMES = {number: name for name, number in _NUMBERS.items()}


@dataclass(slots=True, frozen=True)
class UserRow:
    name: str
    iterations: dict[str, int]
    """By mechanism."""


class UserStore(Protocol):
    def users(self) -> list[UserRow]: ...

    def add(self, name: str, password: str, mechanisms: Sequence[str], iterations: int) -> None: ...

    def remove(self, name: str, mechanisms: Sequence[str]) -> None: ...


def open_place(arguments: argparse.Namespace) -> AbstractContextManager[UserStore]:
    if arguments.store:
        return SharedUsers(arguments.store)
    if not arguments.data:
        return RunningServerUsers(lambda: usable_cluster(arguments))
    if arguments.action != "add" and not os.path.isdir(arguments.data):
        raise StorageError(f"{arguments.data}: there is no such data directory")
    return DataDirectory(arguments.data)


class KeptUsers:
    """Users in a document that is read and written here."""

    def __init__(self, store: Documents) -> None:
        self._users = Users(store)

    def users(self) -> list[UserRow]:
        return [
            UserRow(
                name,
                {each: found.iterations for each, found in sorted((self._users.mechanisms_of(name) or {}).items())},
            )
            for name in self._users.names()
        ]

    def add(self, name: str, password: str, mechanisms: Sequence[str], iterations: int) -> None:
        self._users.alter([(name, each, new_credential(each, password, iterations)) for each in mechanisms])

    def remove(self, name: str, mechanisms: Sequence[str]) -> None:
        self._users.alter([], [(name, each) for each in mechanisms])


class SharedUsers(KeptUsers):
    """Those of a cluster, in its database: its nodes may run or not, and hear of a change at once."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("postgresql://", "postgres://")):
            raise StorageError("--store: only postgresql://USER:PASSWORD@HOST:PORT/DATABASE is known")
        try:
            from muster.log.postgres.store import PostgresStore
        except ImportError:
            raise StorageError(f"psycopg is not installed: {install_command('postgres')}") from None
        self._store = PostgresStore(url, NOBODY)
        super().__init__(self._store)

    def __enter__(self) -> SharedUsers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._store.close()


class DataDirectory(KeptUsers):
    """The documents of a directory that no server uses now."""

    def __init__(self, path: str) -> None:
        self._path = path
        super().__init__(self)

    def __enter__(self) -> DataDirectory:
        prepare_directory(self._path)
        try:
            self._lock = DirectoryLock(self._path)
        except StorageError as error:
            raise StorageError(f"{error}; or reach the server that uses it with --bootstrap HOST:PORT") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def read_document(self, name: str) -> bytes | None:
        try:
            with open(document_path(self._path, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{self._path}/{name}: cannot be read: {error.strerror}") from error

    def forget_document(self, name: str) -> None:
        """Nobody else writes it."""

    def write_document(self, name: str, content: bytes) -> None:
        try:
            replace_file(Disk(), document_path(self._path, name), content, private=name in PRIVATE_DOCUMENTS)
        except OSError as error:
            raise StorageError(f"{self._path}/{name}: cannot be written: {error.strerror}") from error


class RunningServerUsers:
    """By (Alter|Describe)UserScramCredentials: Muster's or any Kafka's."""

    def __init__(self, make_cluster: Callable[[], Cluster]) -> None:
        self._make_cluster = make_cluster

    def __enter__(self) -> RunningServerUsers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        pass

    def users(self) -> list[UserRow]:
        from muster.wire.generated.describe_user_scram_credentials import DescribeUserScramCredentialsRequest

        reply = self._ask("DescribeUserScramCredentials", DescribeUserScramCredentialsRequest(None))
        if reply.error_code:
            raise ClientError(reply.error_code, "list the users", reply.error_message)
        return [
            UserRow(
                each.user,
                {_NAMES[one.mechanism]: one.iterations for one in each.credential_infos if one.mechanism in _NAMES},
            )
            for each in sorted(reply.results, key=lambda each: str(each.user))
        ]

    def add(self, name: str, password: str, mechanisms: Sequence[str], iterations: int) -> None:
        from muster.security.scram import SALT_BYTES, salted_password
        from muster.wire.generated.alter_user_scram_credentials import (
            AlterUserScramCredentialsRequest,
            AlterUserScramCredentialsRequestUpsertion,
        )

        upsertions = []
        for mechanism in mechanisms:
            salt = os.urandom(SALT_BYTES)
            salted = salted_password(mechanism, password, salt, iterations)
            upsertions.append(
                AlterUserScramCredentialsRequestUpsertion(name, _NUMBERS[mechanism], iterations, salt, salted)
            )
        self._alter(f"add user {name}", AlterUserScramCredentialsRequest(upsertions=upsertions))

    def remove(self, name: str, mechanisms: Sequence[str]) -> None:
        from muster.wire.generated.alter_user_scram_credentials import (
            AlterUserScramCredentialsRequest,
            AlterUserScramCredentialsRequestDeletion,
        )

        deletions = [AlterUserScramCredentialsRequestDeletion(name, _NUMBERS[each]) for each in mechanisms]
        self._alter(f"remove user {name}", AlterUserScramCredentialsRequest(deletions=deletions))

    def _alter(self, doing: str, request: object) -> None:
        reply = self._ask("AlterUserScramCredentials", request)
        for result in reply.results:
            if result.error_code:
                raise ClientError(result.error_code, doing, result.error_message)

    def _ask(self, api: str, request: object) -> Any:
        async def ask() -> Any:
            async with self._make_cluster() as cluster:
                return await cluster.ask_controller(api, request)

        return asyncio.run(ask())
