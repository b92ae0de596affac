"""How much of a lake one page shows. Every plot and table stops at one of these and says what it left out.

Together they keep the page under 5 MB for 10,000 groups with 100,000 partitions, all in trouble and with long names.
"""

from __future__ import annotations

from typing import Final

from muster.core.time_units import DAY_MS, HOUR_MS

WINDOW_MS: Final = DAY_MS
"""History before the newest fact of the lake."""
SILENT_ROWS_MS: Final = HOUR_MS
"""A silent group has a row of history so often at least: so much before the window says how it stood when that began."""
REBALANCE_DAYS: Final = 14
"""Rebalances and commits of longer ago are not read."""

NAME_CHARACTERS: Final = 100
TIP_CHARACTERS: Final = 100
EVIDENCE_CHARACTERS: Final = 160

HEAT_GROUPS: Final = 40
HEAT_COLUMNS: Final = 96
TIMELINE_GROUPS: Final = 20
TIMELINE_COLUMNS: Final = 800
"""Of all rows; columns get wider until there are no more than these."""
TIMELINE_EPISODES: Final = 300

PANEL_GROUPS: Final = 10
PANEL_PARTITIONS: Final = 3
PANEL_POINTS: Final = 140
PANEL_READINGS: Final = 36
PHASE_ROWS: Final = 16
LANE_ROWS: Final = 40
LANE_PIECES: Final = 640
"""Of all lanes of one group; shorter stays are drawn together until they are no more than these."""
LANE_OWNER_CHARACTERS: Final = 40
MEMBER_ROWS: Final = 30

EXPIRY_GROUPS: Final = 20
EXPIRY_DAYS: Final = 14
BALANCE_GROUPS: Final = 20
QUALITY_CELLS: Final = 250
LOAD_CELLS: Final = 100
PARETO_GROUPS: Final = 15
SCATTER_GROUPS: Final = 250
SCATTER_NAMES: Final = 6
RETENTION_GROUPS: Final = 20
STAIR_GROUPS: Final = 8
STAIR_POINTS: Final = 160
STAIR_READINGS: Final = 24
"""Of each group."""
CALENDAR_DAYS: Final = 7
CALENDAR_PARTITIONS: Final = 50
"""Of one group, those furthest behind."""
LORENZ_POINTS: Final = 20
ATTENTION_LINES: Final = 5
"""Of each kind."""
TABLE_ROWS: Final = 200
