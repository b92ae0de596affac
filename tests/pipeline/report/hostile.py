"""The sample lake with every text replaced by something nasty: names of groups, topics, members, but also causes and evidence.

A group id is any UTF-8, and so is nearly everything else that a client says about itself.
"""

from __future__ import annotations

import pyarrow as pa

NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)' x='",
    "</title></style><script>alert(4)</script>",
    "]]><svg onload=alert(5)>",
    "&lt;b&gt; &amp; &#x3c;",
    "",
    "🐙 группа 消费者 👩‍💻",
    "\u202egnp.exe\u202c",
    "nul\x00tab\tline\nend",
    "javascript:alert(6)",
    "${alert(7)} {{7*7}} <%= 7 %>",
    "x" * 40_000,
    " ",
    "-",
    "a:b/c#group-0?d=e",
)


def hostile_tables(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The same value always becomes the same name, so that tables still fit together."""
    names: dict[str, str] = {}

    def spoiled(value: str | None) -> str | None:
        if value is None:
            return None
        return names.setdefault(
            value, NAMES[len(names) % len(NAMES)] + (str(len(names)) if len(names) >= len(NAMES) else "")
        )

    # Groups first: every name of the list becomes the name of a group as far as there are groups.
    for group in sorted(set(tables["g_group_lag"]["group_id"].to_pylist())):
        spoiled(group)
    return {name: _spoil(table, spoiled) for name, table in tables.items()}


def _spoil(table: pa.Table, spoiled: object) -> pa.Table:
    assert callable(spoiled)
    columns = []
    for field in table.schema:
        values = table[field.name].to_pylist()
        if field.type == pa.string():
            values = [spoiled(value) for value in values]
        elif field.type == pa.list_(pa.string()):
            values = [None if value is None else [spoiled(item) for item in value] for value in values]
        columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=table.schema)
