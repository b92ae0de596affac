"""Prints the page of an explanation: in colour on a terminal, as plain text elsewhere."""

from __future__ import annotations

import textwrap
from typing import Final, TextIO

from muster.explain.page import LABEL_WIDTH, Line, plain_text

_STYLES: Final = {"heading": "bold", "label": "cyan", "text": "", "advice": "yellow"}


def print_page(lines: list[Line], out: TextIO) -> None:
    if out.isatty():
        try:
            _print_colours(lines, out)
        except ImportError:  # rich comes with an extra; the words are the same without it
            pass
        else:
            return
    for text in plain_text(lines):
        out.write(f"{text}\n")
    out.flush()


def _print_colours(lines: list[Line], out: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, markup=False)
    for line in lines:
        indent = 4 if line.label in ("-", " ") else LABEL_WIDTH + 2 if line.label else 0
        wrapped = textwrap.wrap(line.text, max(20, console.width - indent)) or [""]
        first = (
            f"  {line.label} " if line.label in ("-", " ") else f"  {line.label:<{LABEL_WIDTH}}" if line.label else ""
        )
        for number, part in enumerate(wrapped):
            text = Text()
            text.append(first if number == 0 else " " * indent, style=_STYLES["label"])
            text.append(part, style=_STYLES[line.look])
            console.print(text)
