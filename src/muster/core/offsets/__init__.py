"""Committed offsets: store, commit, fetch, delete, expire."""
