"""What a real broker answered, kept as files that people can read: one JSON file per script, one line per answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tests.conformance.kafka import VERSION
from tests.conformance.offsets_log import GroupRecord
from tests.conformance.player import Answer, play_title
from tests.conformance.script import all_scripts
from tests.conformance.stage import Play

FOLDER: Final = Path(__file__).parent / "recordings" / f"kafka-{VERSION}"


def renew_recording(plays: Iterable[Play], folder: Path = FOLDER) -> None:
    """These plays take the place of those with the same title; what is no longer in a script leaves its recording."""
    folder.mkdir(parents=True, exist_ok=True)
    played = {each.title: each for each in plays}
    for script in all_scripts():
        titles = [play_title(script, each, version) for each in script.scenarios for version in each.versions()]
        if not played.keys().isdisjoint(titles):
            known = read_recording(script.name, folder) | played
            kept = [known[title] for title in titles if title in known]
            (folder / f"{script.name}.json").write_text(_text(kept))


def _text(plays: list[Play]) -> str:
    return "{\n" + ",\n".join(_play_text(each) for each in plays) + "\n}\n"


def _play_text(play: Play) -> str:
    answers = _rows([[each.step, each.api, each.got] for each in play.answers])
    records = _rows([each.as_row() for each in play.records])
    return f'{json.dumps(play.title)}: {{"answers": {answers}, "records": {records}}}'


def _rows(rows: list[Any]) -> str:
    if not rows:
        return "[]"
    return "[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"


def read_recording(script: str, folder: Path = FOLDER) -> dict[str, Play]:
    """Plays by title; the lines are those of the recording, which knows no line numbers."""
    path = folder / f"{script}.json"
    if not path.exists():
        return {}
    found = {}
    for title, kept in json.loads(path.read_text()).items():
        play = Play(script, "", title)
        play.answers = [Answer(0, step, api, got) for step, api, got in kept["answers"]]
        play.records = [GroupRecord(about, key, value, attributes) for about, attributes, key, value in kept["records"]]
        found[title] = play
    return found
