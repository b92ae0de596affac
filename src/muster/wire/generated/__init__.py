"""Codecs written by `python -m muster.wire.generate`, one module per API. Use `muster.wire.apis`."""
