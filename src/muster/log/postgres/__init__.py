"""Logs, documents and ownership in PostgreSQL: the store for several nodes (docs/decisions/0012)."""
