"""The precompiled layouts of one generated module: a layout is a run of fixed-size fields, read or written in one go."""

from __future__ import annotations

from struct import calcsize


class Layouts:
    """Names a layout by its letters, and knows which of them a module has used and how."""

    def __init__(self) -> None:
        self.used: set[tuple[str, str]] = set()

    def pack(self, codes: str) -> str:
        return self._name("pack", codes)

    def unpack(self, codes: str) -> str:
        return self._name("unpack", codes)

    def _name(self, kind: str, codes: str) -> str:
        self.used.add((kind, codes))
        return f"{kind}_{codes.replace('?', 't').replace('16s', 'u')}"

    def constants(self) -> list[str]:
        lines = []
        for kind, codes in sorted(self.used):
            method = "pack" if kind == "pack" else "unpack_from"
            lines.append(f'{self._name(kind, codes)} = Struct(">{codes}").{method}')
        return lines


def size_of(codes: str) -> int:
    return calcsize(">" + codes)
