"""Codecs written by `make generate`, one module per API. Use `muster.wire.apis`."""
