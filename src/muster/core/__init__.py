"""Decisions. Pure, synchronous, deterministic: a message and a time become an outcome."""
