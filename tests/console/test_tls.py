"""--tls-cert and --tls-key: HTTPS with cookies for it alone; files that cannot be used give one clear line."""

from __future__ import annotations

import http.client
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from muster.testing import Broker
from tests.console.console_process import STOP_SECONDS, ConsoleProcess
from tests.security.certificates import Authority
from tests.security.secure_server import PASSWORDS, SecureServer


def test_pages_are_served_over_tls(broker: Broker, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = authority.server()
    flags = ("--tls-cert", issued.certificate_file, "--tls-key", issued.key_file)
    with ConsoleProcess(broker.bootstrap_servers, *flags) as console:
        assert console.address == f"https://127.0.0.1:{console.port}"
        trusting = ssl.create_default_context(cafile=authority.file)
        connection = http.client.HTTPSConnection("localhost", console.port, timeout=STOP_SECONDS, context=trusting)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"<h1>Groups</h1>" in answer.read()
        assert "strict-transport-security" not in answer.headers, "it would bind whatever else has this host name"
        connection.close()


def test_who_logs_in_over_tls_gets_a_cookie_for_tls_alone(tmp_path: Path) -> None:
    form = urlencode({"user": "alice", "password": PASSWORDS["alice"], "mechanism": "SCRAM-SHA-512"})
    with (
        SecureServer(tmp_path) as server,
        ConsoleProcess(
            server.address("SASL_PLAINTEXT"), "--login", "--tls-cert", server.authority.server().keystore
        ) as console,
    ):
        trusting = ssl.create_default_context(cafile=server.authority.file)
        connection = http.client.HTTPSConnection("localhost", console.port, timeout=STOP_SECONDS, context=trusting)
        connection.request("POST", "/login", form, {"Origin": f"https://localhost:{console.port}"})
        answer = connection.getresponse()
        assert answer.status == 303
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert "secure" in cookie.lower()
        connection.close()


def test_a_form_from_a_page_without_tls_is_refused(broker: Broker, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with ConsoleProcess(
        broker.bootstrap_servers, "--allow-changes", "--tls-cert", authority.server().keystore
    ) as console:
        trusting = ssl.create_default_context(cafile=authority.file)
        for scheme, status in (("http", 403), ("https", 403)):
            connection = http.client.HTTPSConnection("localhost", console.port, timeout=STOP_SECONDS, context=trusting)
            headers = {"Origin": f"{scheme}://localhost:{console.port}"}
            connection.request("POST", "/delete", "id=g", headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            assert answer.status == status
            assert ("does not come from a page of this console" in text) == (scheme == "http")
            connection.close()


@pytest.mark.parametrize("case", ["wrong key", "no file", "no certificate", "encrypted", "key alone"])
def test_files_that_cannot_be_used_are_named_in_one_line(tmp_path: Path, case: str) -> None:
    authority = Authority(tmp_path)
    issued, other = authority.server(), authority.server(name="other")
    locked, missing, text = (tmp_path / name for name in ("locked.pem", "none.pem", "notes.txt"))
    locked.write_text(issued.key_pem("a-password"))
    text.write_text("not PEM\n")
    flags, said = {
        "wrong key": (
            ["--tls-cert", issued.certificate_file, "--tls-key", other.key_file],
            f"the key in {other.key_file} is not that of the certificate {issued.certificate_file}",
        ),
        "no file": (["--tls-cert", str(missing)], f"--tls-cert {missing}: No such file or directory"),
        "no certificate": (["--tls-cert", str(text)], f"{text}: no usable PEM certificate and key"),
        "encrypted": (
            ["--tls-cert", issued.certificate_file, "--tls-key", str(locked)],
            f"{locked}: the key is encrypted; give one that is not",
        ),
        "key alone": (["--tls-key", issued.key_file], "--tls-key is of no use without --tls-cert"),
    }[case]
    command = [sys.executable, "-m", "muster", "console", "--listen", "127.0.0.1:0", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=STOP_SECONDS, stdin=subprocess.DEVNULL)
    assert ran.returncode == (2 if case == "key alone" else 1)
    assert ran.stdout == ""
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert said in ran.stderr
