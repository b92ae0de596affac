"""Bytes <-> messages. Pure: knows layouts, not meanings."""
