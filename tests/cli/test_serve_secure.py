"""`muster serve` with TLS and SASL, as an operator runs it: users first, several listeners, new certificates on SIGHUP."""

from __future__ import annotations

import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.security.certificates import Authority
from tests.security.raw_sasl import RawSaslClient

PATIENCE_SECONDS = 60


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "muster", *arguments]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


def test_users_and_certificates_of_a_served_directory(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    first = authority.server()
    keystore, data = first.keystore, str(tmp_path / "data")
    assert run("users", "add", "alice", "--data", data, typed="open sesame\n").returncode == 0
    command = [sys.executable, "-m", "muster", "serve", "--data", data]
    command += ["--listen", "127.0.0.1:0,OUTSIDE://127.0.0.1:0", "--log-level", "warning"]
    command += ["--set", "listener.security.protocol.map=OUTSIDE:SASL_SSL"]
    command += ["--set", f"listener.name.outside.ssl.keystore.location={keystore}"]
    command += ["--set", "muster.ssl.watch.interval.ms=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline().startswith("listening on 127.0.0.1:")
            line = process.stdout.readline()
            assert line.startswith("listening on OUTSIDE://127.0.0.1:")
            port = int(line.rsplit(":", 1)[1])
            with RawSaslClient.over_tls(port, authority.file) as client:
                assert client.scram("alice", "open sesame").error_code == 0
                (broker,) = client.metadata().brokers
                assert broker.port == port
                renewed = authority.server()
                assert renewed.keystore == keystore
                process.send_signal(signal.SIGHUP)
                until = time.monotonic() + PATIENCE_SECONDS
                while shown(port, authority.file) != renewed.der:
                    assert time.monotonic() < until
                assert client.metadata().brokers
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
            assert process.stderr.read() == ""
        finally:
            if process.poll() is None:
                process.kill()


def shown(port: int, authority: str) -> bytes:
    with RawSaslClient.over_tls(port, authority) as client:
        assert isinstance(client.socket, ssl.SSLSocket)
        return client.socket.getpeercert(True) or b""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--listen", "SSL://127.0.0.1:0"],
            "listener SSL: a TLS listener needs a certificate: set ssl.keystore.location",
        ),
        (["--listen", "WEB://127.0.0.1:0"], "listener.security.protocol.map does not say its protocol"),
        (["--set", "ssl.key.password=x"], "a secret on the command line can be seen"),
        (["--listen", "SSL://h:1,SSL://h:2"], "each listener needs a name of its own"),
    ],
)
def test_a_listener_that_cannot_be_is_refused_in_one_line(arguments: list[str], said: str) -> None:
    ended = run("serve", "--memory", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
