"""From schemas to codecs: `make generate` reads `schemas/*.api` and writes src/muster/wire/generated.

Imports nothing of `muster`.
"""
