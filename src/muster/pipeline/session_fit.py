"""A session is given out only when the work can be done on it: its workers have what they need and reach the lake.

Turns what the probes say, and what they raise, into one `SessionError` each. Called by `session`.
"""

from __future__ import annotations

import shutil
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.session_failure import words_of_lake_failure, words_of_probe_failure
from muster.pipeline.session_probe import probe_lake, probe_rounds, probe_workers
from muster.pipeline.session_settings import SessionSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from muster.pipeline.lake.location import Location

_LOCAL: Final = "file:"


class SessionError(Exception):
    """No session can be had; the text says what to do."""


def check_fitness(session: SparkSession, settings: SessionSettings) -> None:
    """Local workers are this installation, and a local path needs no proof there: nothing is asked then."""
    if not settings.is_local:
        try:
            problem = probe_workers(session, is_connect=settings.is_connect)
            if not problem and settings.is_connect:
                problem = probe_rounds(session)
        except Exception as error:  # pyspark, py4j and grpc each have their own families
            raise SessionError(f"{settings.master}: {words_of_probe_failure(str(error))}") from error
        if problem:
            raise SessionError(f"{settings.master}: {problem}")
    if settings.lake_url is None or (settings.is_local and settings.lake_url.startswith(_LOCAL)):
        return
    _check_lake(session, settings, settings.lake_url)


def _check_lake(session: SparkSession, settings: SessionSettings, url: str) -> None:
    """A worker writes, and what it wrote is looked for as our readers do: through delta-rs, from here."""
    from pyarrow.fs import FileSelector

    from muster.pipeline.lake.files import storage
    from muster.pipeline.lake.location import Location

    location = Location.parse(url, settings.extra)
    store = storage(location)
    name = f"_probe-{uuid.uuid4().hex[:12]}"

    def has_files(name: str) -> bool:
        infos = store.get_file_info_selector(FileSelector(name, allow_not_found=True, recursive=True))
        return any(info.is_file for info in infos)

    try:
        problem = probe_lake(session, url, name, has_files)
    except Exception as error:
        raise SessionError(f"Spark cannot write to {url}: {words_of_lake_failure(str(error))}") from error
    finally:
        _remove_probe(store, location, name)  # also what a write left that failed half way, or was interrupted
    if problem:
        raise SessionError(problem)


def _remove_probe(store: Any, location: Location, name: str) -> None:
    from deltalake.exceptions import DeltaError

    with suppress(OSError, DeltaError):  # why the probe failed is worth more than that it could not be removed
        store.delete_dir(name)
    if location.local is not None:  # an object store knows no empty directories
        shutil.rmtree(location.local / name, ignore_errors=True)
