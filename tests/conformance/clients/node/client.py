"""KafkaJS from npm. Node finds packages beside the program, so the program is copied to where they were installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tests.conformance.clients.contract import Findings
from tests.conformance.clients.programs import build_once, fetch, need, read_features, run_program
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent


class NodeClient:
    name = "node"
    features = read_features(FOLDER / "features.txt")

    def build(self) -> None:
        need("node", "Node.js 18 or later")
        npm = need("npm", "npm, which comes with Node.js")
        sources = sorted([*FOLDER.glob("*.js"), FOLDER / "package.json"])

        def build_into(folder: Path) -> None:
            for each in sources:
                shutil.copy(each, folder)
            fetch([npm, "install", "--silent", "--no-audit", "--no-fund"], folder, "fetch KafkaJS")

        self._folder = build_once("node", sources, build_into)

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        command = ["node", str(self._folder / "main.js"), f"{node.host}:{node.port}", only]
        # KafkaJS warns about its own choice of partitioner, and Node about KafkaJS's timers.
        quiet = {"KAFKAJS_NO_PARTITIONER_WARNING": "1", "NODE_NO_WARNINGS": "1"}
        return run_program(command, folder, features, seconds=600, environment=quiet)
