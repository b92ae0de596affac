"""Muster: a Kafka-compatible group coordinator."""

__version__ = "0.1.0"
