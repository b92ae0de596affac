"""One recording under one variant, in the protocol that the variant settings for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muster.core.journal import JournalEvent
from muster.explain.event import Event
from muster.whatif.changes import setting_of
from muster.whatif.classic_replay import ClassicReplay
from muster.whatif.consumer_replay import ConsumerReplay
from muster.whatif.core_replay import CoreReplay
from muster.whatif.recorded import Recorded
from muster.whatif.variants import Variant


@dataclass(frozen=True, slots=True)
class Replayed:
    journal: list[JournalEvent]
    silent: Mapping[str, int | None]
    """By member id: its last sign of life, if it fell silent."""
    before: Sequence[Event]
    """How the group stood at the beginning. Empty if it was created then."""


def replay(recorded: Recorded, variant: Variant) -> Replayed:
    """CannotReplay if this group cannot be under such settings."""
    setting = setting_of(recorded, variant)
    found: CoreReplay
    found = ClassicReplay(recorded, setting) if setting.remote_assignor is None else ConsumerReplay(recorded, setting)
    return Replayed(found.run(), found.silent(), found.before)
