"""Muster: a Kafka-compatible group coordinator."""

from os import environ as _environ

__version__ = "0.3.0.dev0"

if _environ.get("MUSTER_PURE"):
    from muster.form import use_source_only as _use_source_only

    _use_source_only()
