"""franz-go (github.com/twmb/franz-go, kgo and kadm), built with Go's own tool from go.mod."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.conformance.clients.contract import Findings
from tests.conformance.clients.programs import build_once, compile_, fetch, need, read_features, run_program
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent


class GoClient:
    name = "go"
    features = read_features(FOLDER / "features.txt")

    def build(self) -> None:
        go = need("go", "Go 1.26 or later")

        def build_into(folder: Path) -> None:
            fetch([go, "mod", "download"], FOLDER, "fetch franz-go")
            compile_([go, "build", "-o", str(folder / "program"), "."], FOLDER, "compile the Go program")

        self._program = build_once("go", sorted([*FOLDER.glob("*.go"), *FOLDER.glob("go.*")]), build_into) / "program"

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        return run_program([str(self._program), f"{node.host}:{node.port}", only], folder, features, seconds=300)
