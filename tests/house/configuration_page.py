"""Writes the tables of docs/configuration.md from the tables of the code: `python -m tests.house.configuration_page`.

The words around them are the page's own. A test compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from muster.server import setting_keys
from muster.server.limit_keys import LIMIT_KEYS
from muster.server.listener_keys import ADDRESS_KEYS, LISTENER_KEYS, NEWCOMER_KEYS, PER_LISTENER, SASL_KEYS, TLS_KEYS
from muster.server.observation_keys import OBSERVATION_KEYS
from muster.topics.config_table import BROKER_TOPIC_KEYS, SYNONYMS, TOPIC_CONFIGS
from muster.topics.config_types import INT_MAX, LONG_MAX, ConfigKey, ConfigType, text_of

PAGE: Final = Path(__file__).parents[2] / "docs" / "configuration.md"
BEGIN: Final = "<!-- settings: written by `python -m tests.house.configuration_page` -->"
END: Final = "<!-- end of settings -->"

_LARGEST: Final = {INT_MAX: "no limit", LONG_MAX: "no limit"}
_HEADS: Final = ["| name | type | default | allowed | means |", "|---|---|---|---|---|"]
_BEHIND_TOPICS: Final = {key.name for key in BROKER_TOPIC_KEYS}

SECTIONS: Final[tuple[tuple[str, Iterable[ConfigKey]], ...]] = (
    ("Muster's own", setting_keys.MUSTER_KEYS),
    ("Log lines and metrics", OBSERVATION_KEYS),
    ("Groups and offsets", setting_keys.GROUP_KEYS),
    ("Addresses", ADDRESS_KEYS),
    ("TLS", TLS_KEYS),
    ("SASL", SASL_KEYS),
    ("Connections before authentication", NEWCOMER_KEYS),
    ("Listeners, further", LISTENER_KEYS),
    ("Who may do what", setting_keys.ACL_KEYS),
    ("Limits and quotas", LIMIT_KEYS),
    ("Transactions", setting_keys.TRANSACTION_KEYS),
    ("Broker", setting_keys.BROKER_KEYS),
)
"""Title and keys, in the order of the page. A key stands in the first section that has it; the rest come under Further."""


def tables() -> str:
    lines: list[str] = []
    told: set[str] = set()
    for title, keys in (*SECTIONS, ("Further", setting_keys.TABLE)):
        rows = [key for key in keys if key.name not in told | _BEHIND_TOPICS and not key.internal]
        told |= {key.name for key in rows}
        if rows:
            lines += ["", f"### {title}", "", *_HEADS, *map(_row, rows)]
    lines += ["", "## Topic settings", "", *_TOPIC_WORDS, "", *_topic_rows()]
    lines += ["", "## Other names", "", "| name | is |", "|---|---|"]
    lines += [f"| `{other}` | `{name}` |" for other, name in setting_keys.ALIASES.items()]
    lines += ["", "## Refused", "", *_REFUSED_WORDS, ""]
    lines += [", ".join(f"`{prefix}*`" for prefix in setting_keys.NOT_SUPPORTED_YET) + ".", ""]
    return "\n".join(lines)


_TOPIC_WORDS: Final = (
    "Set when a topic is made (`muster topics create orders --config retention.ms=86400000`) or later (`muster topics alter`,",
    "or any admin client). The server setting in the last column gives all topics their default; where there are several, the",
    "first that is set counts.",
)
_REFUSED_WORDS: Final = (
    "Kafka settings that begin with these are refused at start, because what they are for is not built and nobody should",
    "believe it to work:",
)


def _topic_rows() -> Iterator[str]:
    yield "| name | type | default | allowed | means | server setting |"
    yield "|---|---|---|---|---|---|"
    for key in TOPIC_CONFIGS:
        if not key.internal:
            behind = ", ".join(f"`{synonym.name}`" for synonym in SYNONYMS.get(key.name, ()))
            yield f"{_row(key)} {behind} |"


def _row(key: ConfigKey) -> str:
    each = " ¹" if key.name in PER_LISTENER else ""
    allowed = _cell(key.rule.summary) if key.rule else ""
    return (
        f"| `{key.name}`{each} | {key.type.name.lower()} | {_default(key)} | {_allowed(allowed)} | {_cell(key.doc)} |"
    )


def _default(key: ConfigKey) -> str:
    if key.default is None:
        return "not set"
    if key.type is not ConfigType.BOOLEAN and isinstance(key.default, int) and key.default in _LARGEST:
        return _LARGEST[key.default]
    text = text_of(key.default)
    return f"`{_cell(text)}`" if text else "empty"


def _allowed(summary: str) -> str:
    """`[1,...]` as people say it."""
    if bounds := re.fullmatch(r"\[([^,]+),\.\.\.\]", summary):
        return f"{bounds[1]} or more"
    if bounds := re.fullmatch(r"\[([^,]+),\.\.\.,([^,]+)\]( or -1)?", summary):
        return f"{bounds[1]} to {bounds[2]}{', or -1' if bounds[3] else ''}"
    if summary.startswith("["):
        return ", ".join(f"`{word}`" if word else "empty" for word in summary.strip("[]").split(", "))
    return summary


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[[", "\\[\\[")


def with_tables(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def write() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
    print(f"{PAGE.name} written")
