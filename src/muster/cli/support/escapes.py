"""Escapes in texts on the command line: a tab or a zero byte is hard to type in a shell."""

from __future__ import annotations

import re

from muster.cli.support.usage_error import UsageError


def unescaped(text: str, flag: str) -> str:
    r"""`\t`, `\n`, `\x1f`, `\u00e4` and `\\`, which are hard to type in a shell; everything else as it is."""
    if not text:
        raise UsageError(f"{flag} is empty")
    short = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
    return re.sub(
        r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([tnr0\\]))",
        lambda found: short[found[3]] if found[3] else chr(int(found[1] or found[2], 16)),
        text,
    )
