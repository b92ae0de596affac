"""Muster: a Kafka-compatible group coordinator that installs with pip."""

from os import environ as _environ

__version__ = "0.1.0"

if _environ.get("MUSTER_PURE"):
    from muster.pure import install as _install

    _install()
