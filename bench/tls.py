"""What TLS costs: the server's CPU for a heartbeat over TLS beside one in the clear, and for a handshake.

Real members, one on each connection, ping-pong; rounds alternate between the two listeners of one server and the median is
printed. `python -m bench.tls [CONNECTIONS]`. Certificates are made on the spot (elliptic curve P-256), so it needs `cryptography`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.raw_client import RawConnection, framed
from bench.server_process import ServerProcess
from muster.wire.errors import NONE
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.sync_group import SyncGroupRequest
from tests.security.certificates import Authority

CONNECTIONS = 100
ROUNDS = 7
BEATS_A_ROUND = 200
"""Of each connection."""
HANDSHAKES_A_ROUND = 200
_SESSION_MS = 1_800_000


def main(connections: int = CONNECTIONS) -> None:
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        authority = Authority(Path(folder))
        tls_port = _free_port()
        flags = ("--memory", "--listen", f"127.0.0.1:0,SSL://127.0.0.1:{tls_port}")
        keystore = ("--set", f"ssl.keystore.location={authority.server().keystore}")
        quick = ("--set", "group.initial.rebalance.delay.ms=0")
        with ServerProcess(*flags, *keystore, *quick) as server:
            asyncio.run(_measure(server, tls_port, ssl.create_default_context(cafile=authority.file), connections))


async def _measure(server: ServerProcess, tls_port: int, trust: ssl.SSLContext, connections: int) -> None:
    plain = [await _member(server.port, None, f"plain-{n}") for n in range(connections)]
    tls = [await _member(tls_port, trust, f"tls-{n}") for n in range(connections)]
    costs: dict[str, list[float]] = {"plain": [], "tls": [], "handshake": []}
    for _ in range(ROUNDS):
        costs["plain"].append(await _beat(server, plain))
        costs["tls"].append(await _beat(server, tls))
        costs["handshake"].append(await _shake_hands(server, tls_port, trust))
    for connection, _ in (*plain, *tls):
        connection.close()
    in_clear, over_tls = (statistics.median(costs[name]) for name in ("plain", "tls"))
    print(f"heartbeats over {connections} connections ping-pong, server CPU, median of {ROUNDS} alternating rounds")
    print(f"  in the clear  {in_clear:6.1f} µs a heartbeat")
    print(f"  over TLS 1.3  {over_tls:6.1f} µs a heartbeat, {over_tls / in_clear:.2f} times as much")
    print(f"  a connection with TLS handshake (P-256)  {statistics.median(costs['handshake']):6.0f} µs")


async def _member(port: int, trust: ssl.SSLContext | None, group: str) -> tuple[RawConnection, bytes]:
    """A connection, and the heartbeat of the only member of a group."""
    connection = await _connect(port, trust)
    while (await connection.ask("FindCoordinator", 2, FindCoordinatorRequest(group))).error_code != NONE:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    joined = await connection.ask(
        "JoinGroup",
        3,
        JoinGroupRequest(
            group,
            _SESSION_MS,
            _SESSION_MS,
            "",
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol("range", b"")],
        ),
    )
    assert joined.error_code == NONE, joined
    synced = await connection.ask("SyncGroup", 3, SyncGroupRequest(group, joined.generation_id, joined.member_id))
    assert synced.error_code == NONE, synced
    return connection, framed("Heartbeat", 4, HeartbeatRequest(group, joined.generation_id, joined.member_id))


async def _connect(port: int, trust: ssl.SSLContext | None) -> RawConnection:
    loop = asyncio.get_running_loop()
    name = None if trust is None else "localhost"
    _, connection = await loop.create_connection(RawConnection, "127.0.0.1", port, ssl=trust, server_hostname=name)
    return connection


async def _beat(server: ServerProcess, members: list[tuple[RawConnection, bytes]]) -> float:
    """µs of the server's CPU for one heartbeat."""

    async def one(connection: RawConnection, frame: bytes) -> None:
        for _ in range(BEATS_A_ROUND):
            await connection.send(frame)

    before = server.cpu_seconds()
    await asyncio.gather(*(one(*member) for member in members))
    return (server.cpu_seconds() - before) * 1e6 / (BEATS_A_ROUND * len(members))


async def _shake_hands(server: ServerProcess, port: int, trust: ssl.SSLContext) -> float:
    before = server.cpu_seconds()
    for _ in range(HANDSHAKES_A_ROUND):
        (await _connect(port, trust)).close()
    return (server.cpu_seconds() - before) * 1e6 / HANDSHAKES_A_ROUND


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    began = time.monotonic()
    main(*(int(text) for text in sys.argv[1:]))
    print(f"  ({time.monotonic() - began:.0f} s)")
