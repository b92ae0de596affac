"""Runs Kafka's command line tools at one broker and makes what they print comparable between brokers.

Knows where the tools are and how to run them; what they should say is in the feature modules beside this one.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.conformance import kafka
from tests.conformance.clients.programs import JVM, build_once, compile_
from tests.conformance.kafka import Node

TOOLS: Final = {
    "topics": "org.apache.kafka.tools.TopicCommand",
    "console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "groups": "org.apache.kafka.tools.GroupsCommand",
    "verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
    "verifiable-consumer": "org.apache.kafka.tools.VerifiableConsumer",
    "producer-performance": "org.apache.kafka.tools.ProducerPerformance",
    "consumer-performance": "org.apache.kafka.tools.ConsumerPerformance",
    "broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "configs": "kafka.admin.ConfigCommand",
    "get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "features": "org.apache.kafka.tools.FeatureCommand",
    "transactions": "org.apache.kafka.tools.TransactionsCommand",
}
SECONDS_A_TOOL: Final = 60
PATIENCE_SECONDS: Final = 30


@dataclass
class Shell:
    """One feature's view of one broker."""

    node: Node
    folder: Path
    archive: Path
    sightings: dict[str, str] = field(default_factory=dict)
    talk: list[str] = field(default_factory=list)

    def command(self, tool: str, *arguments: str) -> list[str]:
        java = [*_jvm(), f"-XX:SharedArchiveFile={self.archive}", "-cp", f"{kafka.obtain()}/*", TOOLS[tool]]
        return [*java, "--bootstrap-server", f"{self.node.host}:{self.node.port}", *arguments]

    def run(self, tool: str, *arguments: str, stdin: str = "", ends_with: int = 0) -> str:
        """What the tool printed; it must end with this code."""
        ran = subprocess.run(
            self.command(tool, *arguments),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS_A_TOOL,
            cwd=self.folder,
        )
        said = "".join(line for line in (ran.stdout + ran.stderr).splitlines(True) if not line.startswith("SLF4J"))
        self.talk.append(f"$ {tool} {' '.join(arguments)}")
        self.talk += said.splitlines()[:20]
        assert ran.returncode == ends_with, f"{tool} ended with {ran.returncode}: {said.strip()[-300:]}"
        return said

    @contextmanager
    def beside(self, tool: str, *arguments: str) -> Iterator[Path]:
        """The tool at work in the background; the file is what it has printed."""
        output = self.folder / f"{tool}-{len(list(self.folder.iterdir()))}.out"
        with output.open("wb") as out:
            process = subprocess.Popen(
                self.command(tool, *arguments), stdout=out, stderr=subprocess.STDOUT, cwd=self.folder
            )
        try:
            yield output
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self.talk.append(f"$ {tool} {' '.join(arguments)} &")
            self.talk += lines_of(output)[:20]

    def saw(self, what: str, text: str) -> None:
        self.sightings[what] = self.plain(text)

    def plain(self, text: str) -> str:
        """Without what differs from run to run: ports, ids, the place of the data, the width of columns."""
        text = text.replace(str(self.node.data), "DATA").replace(f":{self.node.port}", ":PORT")
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID", text)
        text = re.sub(r"(TopicId: )\S{22}", r"\1ID", text)
        return " / ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def lines_of(file: Path) -> list[str]:
    """What a tool in the background has said, without the words of its logging."""
    return [line for line in file.read_text().splitlines() if not line.startswith("SLF4J")]


def says(what: str, file: Path, words: str) -> None:
    """Waits for the tool in the background to say so."""
    until(what, lambda: words in file.read_text())


def until(what: str, holds: Callable[[], bool]) -> None:
    """The limit only ends a test that has failed."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, f"still not after {PATIENCE_SECONDS} s: {what}"
        time.sleep(0.05)


def make_archive(node: Node) -> Path:
    """The tools' classes as the JVM keeps them in memory: each of the many short runs then takes half the time."""
    tool = TOOLS["consumer-groups"]

    def archive_into(folder: Path) -> None:
        making = [*_jvm(), f"-XX:ArchiveClassesAtExit={folder / 'tools.jsa'}", "-cp", f"{kafka.obtain()}/*", tool]
        compile_([*making, "--bootstrap-server", f"{node.host}:{node.port}", "--list"], folder, "archive the classes")

    return build_once("tools", [kafka.VERSION, _java_version(), *JVM], archive_into) / "tools.jsa"


def _java_version() -> str:
    return subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr


def _jvm() -> list[str]:
    # The JVM's own remarks, on the archive for one, would stand among the lines of the tools.
    return ["java", *JVM, "-Xlog:disable"]
