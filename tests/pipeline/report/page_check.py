"""A strict reading of the page: every element closed in order, every id once, every link to something that is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input"}


@dataclass
class Page:
    faults: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.tags[tag] = self.page.tags.get(tag, 0) + 1
        if tag not in _VOID:
            self._open.append(tag)
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.page.faults.append(f"{tag} has an attribute twice: {names}")
        self.page.attributes.update(names)
        for name, value in attrs:
            if name == "id":
                self.page.ids.append(value or "")
            elif name in ("href", "aria-controls", "for", "data-shows"):
                self.page.targets.append((value or "").removeprefix("#"))
                if name == "href" and not (value or "").startswith("#"):
                    self.page.faults.append(f"a link leads away: {value}")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.page.faults.append(f"</{tag}> closes nothing at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("script", "style"):
            self.page.texts.append(data)

    def finished(self) -> Page:
        self.close()
        if self._open:
            self.page.faults.append(f"never closed: {self._open}")
        return self.page


def read_page(html: str) -> Page:
    reader = _Reader()
    reader.feed(html)
    page = reader.finished()
    twice = {found for found in page.ids if page.ids.count(found) > 1}
    page.faults += [f"id twice: {found}" for found in sorted(twice)]
    page.faults += [f"nothing has the id {target}" for target in page.targets if target not in page.ids]
    return page
