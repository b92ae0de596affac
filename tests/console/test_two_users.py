"""With a login the console has no rights of its own: each user sees and changes what the cluster lets that user."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.cli.main import main
from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.groups import GroupDescription
from muster.client.partitions import TopicPartition
from muster.security.acls import Acl
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.topics.creation import NewTopic
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet
from tests.console.looking import shows, submit, text_of
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.sample_lag import CLUSTER
from tests.pipeline.report.sample_lake import sample_tables
from tests.security.acl_users import ALICE_MAY, PASSWORDS, SETTINGS, security_of
from tests.security.secure_server import SecureServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    folder: Path = tmp_path_factory.mktemp("console-users")
    with SecureServer(folder, SETTINGS, PASSWORDS) as running:
        node = running.running.node
        running.running.run(node.broker.create_topics, [NewTopic("orders")])
        running.running.run(lambda: node.acls.create(ALICE_MAY))
        asyncio.run(_make_groups(running))
        yield running


async def _make_groups(server: SecureServer) -> None:
    async with Cluster(server.address("SASL_PLAINTEXT"), security=security_of("admin")) as cluster:
        for group in ("billing", "secret"):
            await admin.commit_offsets(cluster, group, {TopicPartition("orders", 0): 0})


@pytest.fixture(scope="module")
def console(server: SecureServer) -> Iterator[ConsoleProcess]:
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), "--login", "--allow-changes") as running:
        yield running


def _log_in(browser: Browser, user: str, password: str) -> None:
    browser.type_into("input[name=user]", user)
    browser.type_into("input[name=password]", password)
    submit(browser, "button.main")


def test_each_user_sees_what_he_may_and_changes_what_he_may(
    server: SecureServer, console: ConsoleProcess, browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")
    browser.visit(f"{console.address}/group?id=billing")
    shows(browser, "main", "Log in as a SASL user")
    _log_in(browser, "alice", "wrong")
    shows(browser, "[role=alert]", "SASL_AUTHENTICATION_FAILED")
    _log_in(browser, "alice", PASSWORDS["alice"])
    assert browser.value("location.pathname + location.search") == "/group?id=billing", "back to where he wanted to go"
    shows(browser, "#facts", "Empty")
    browser.visit(f"{console.address}/")
    listed = shows(browser, "#groups tbody", "billing")
    assert "secret" not in listed
    browser.visit(f"{console.address}/delete?id=billing")
    submit(browser, "button.danger")
    shows(browser, "main", "GROUP_AUTHORIZATION_FAILED")
    submit(browser, ".who form button")

    _log_in(browser, "admin", PASSWORDS["admin"])
    shows(browser, "#groups tbody", "billing", "secret")
    assert "admin" in text_of(browser, ".who")
    browser.visit(f"{console.address}/delete?id=billing")
    submit(browser, "button.danger")
    shows(browser, "main", "The group and its offsets are gone")
    changed = [each.getMessage() for each in caplog.records if each.name == "muster.audit"]
    assert any("'User:admin'" in each and "deleted group 'billing'" in each for each in changed)
    assert any("'User:alice'" in each and each.startswith("denied") for each in changed)


def test_what_a_user_changes_is_in_the_servers_audit_log_under_his_principal(
    server: SecureServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")
    bootstrap = server.address("SASL_PLAINTEXT")
    with (
        ConsoleProcess(bootstrap, "--login", "--allow-changes") as console,
        Fleet(bootstrap, "audited", ["orders"], security=security_of("admin")) as fleet,
    ):
        console.ask("/login", {"user": "admin", "password": PASSWORDS["admin"], "mechanism": "SCRAM-SHA-512"})
        fleet.join("ada")
        fleet.commit("ada", 3)
        described = asyncio.run(_described(server, "audited"))
        member = described.members[0].member_id
        token = console.token("/delete?id=audited")
        removed = console.ask("/remove", {"id": "audited", "member": member, "token": token})
        assert "ada was removed" in removed.text
        fleet.leave("ada")
        reset = console.ask("/reset", {"id": "audited", "plan": "orders,0,0\n", "token": token})
        assert "1 offsets of audited were set" in reset.text
        console.ask("/delete", {"id": "audited", "token": token})
    told = [each.getMessage() for each in caplog.records if each.name == "muster.audit"]
    by_console = "changed: 'User:admin' at 127.0.0.1 (client id 'muster-console') by "
    assert [each.removeprefix(by_console) for each in told if "'audited'" in each] == [
        f"LeaveGroup: removed member {member!r} of group 'audited'",
        "OffsetCommit: set 1 offset of group 'audited' from outside",
        "DeleteGroups: deleted group 'audited'",
    ], "and nothing of what the member itself did"


async def _described(server: SecureServer, group: str) -> GroupDescription:
    async with Cluster(server.address("SASL_PLAINTEXT"), security=security_of("admin")) as cluster:
        return await admin.describe_group(cluster, group)


def test_the_history_of_a_group_is_for_those_who_may_see_it_also_when_the_group_is_gone(
    server: SecureServer, tmp_path: Path
) -> None:
    """The lake has groups that the cluster does not have any more."""
    lake = write_lake(tmp_path / "lake", sample_tables())
    may_see = Acl(
        ResourceType.GROUP, "fraud-scoring", Pattern.LITERAL, "User:alice", "*", Operation.DESCRIBE, Permission.ALLOW
    )
    server.running.run(lambda: server.running.node.acls.create([may_see]))
    flags = ("--login", "--lake", str(lake), "--lake-cluster", CLUSTER)
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), *flags) as console:

        def shown(user: str, group: str) -> tuple[bool, bool]:
            """Whether there are plots, and whether the cluster has refused."""
            console.forget_cookies()
            console.ask("/login", {"user": user, "password": PASSWORDS[user], "mechanism": "SCRAM-SHA-512"})
            text = console.ask(f"/history?group={group}").text
            return "<svg" in text, "GROUP_AUTHORIZATION_FAILED" in text

        assert shown("alice", "fraud-scoring") == (True, False)
        assert shown("alice", "billing-export") == (False, True)
        assert shown("admin", "billing-export") == (True, False)


def _log_in_by_form(console: ConsoleProcess, user: str) -> str:
    """The cookie that it gives, by its id alone."""
    form = {"user": user, "password": PASSWORDS[user], "mechanism": "SCRAM-SHA-512"}
    answer = console.ask("/login", form)
    assert answer.status == 303
    return answer.headers["set-cookie"].partition(";")[0]


def test_a_login_gives_a_new_session_and_ends_the_one_that_the_browser_had(console: ConsoleProcess) -> None:
    console.forget_cookies()
    before = _log_in_by_form(console, "alice")
    old_token = console.token("/")
    after = _log_in_by_form(console, "admin")
    assert before != after
    assert console.token("/") != old_token
    assert "as <b>admin</b>" in console.ask("/").text
    console.forget_cookies()
    answer = console.ask("/", headers={"Cookie": before})
    assert (answer.status, answer.headers["location"].partition("?")[0]) == (303, "/login"), "it is worth nothing now"


def test_an_id_that_somebody_else_chose_is_not_taken_for_a_session(console: ConsoleProcess) -> None:
    console.forget_cookies()
    name = _log_in_by_form(console, "alice").partition("=")[0]
    console.forget_cookies()
    form = {"user": "alice", "password": PASSWORDS["alice"], "mechanism": "SCRAM-SHA-512"}
    answer = console.ask("/login", form, {"Cookie": f"{name}=chosen"})
    assert not answer.headers["set-cookie"].startswith(f"{name}=chosen")
    console.forget_cookies()
    assert console.ask("/", headers={"Cookie": f"{name}=chosen"}).status == 303


def test_the_cookie_of_a_login_is_for_this_console_alone(console: ConsoleProcess) -> None:
    console.forget_cookies()
    form = {"user": "alice", "password": PASSWORDS["alice"], "mechanism": "SCRAM-SHA-512"}
    cookie = console.ask("/login", form).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_leases_are_for_those_who_may_describe_the_cluster(server: SecureServer) -> None:
    """The store is asked with the console's own rights; it is not even there here."""
    flags = ("--login", "--store", "postgresql://127.0.0.1:1/none")
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), *flags) as console:
        _log_in_by_form(console, "alice")
        page = console.ask("/cluster").text
        assert "The user lacks the right to describe the cluster" in page
        assert "127.0.0.1:1" not in page
        console.forget_cookies()
        _log_in_by_form(console, "admin")
        page = console.ask("/cluster").text
        assert "Leases are not known: " in page
        assert "The user lacks the right" not in page


def test_nothing_is_shown_without_a_login(console: ConsoleProcess) -> None:
    console.forget_cookies()
    for path in ("/", "/group?id=billing", "/topics", "/messages?topic=orders", "/cluster", "/delete?id=billing"):
        answer = console.ask(path)
        assert (answer.status, answer.headers["location"].partition("?")[0]) == (303, "/login")
    assert console.ask("/live/", headers={"Accept": "text/event-stream"}).status == 401
    assert console.ask("/delete", {"id": "billing"}).status == 303


@pytest.mark.parametrize("hands_on_the_name", [True, False])
def test_behind_a_proxy_that_does_tls_users_log_in(server: SecureServer, hands_on_the_name: bool) -> None:
    """As a proxy hands requests on: without TLS, with the browser's `Origin`, and by the name that was asked for or by its own."""
    form = {"user": "admin", "password": PASSWORDS["admin"], "mechanism": "SCRAM-SHA-512"}
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), "--public-url", "https://Console.Example:443/") as console:
        host = {"Host": "console.example" if hands_on_the_name else f"127.0.0.1:{console.port}"}
        assert console.ask("/", headers=host).headers["location"].startswith("/login"), "the proxy is for others"
        answer = console.ask("/login", form, {**host, "Origin": "https://console.example"})
        assert answer.status == 303
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert "secure" in cookie.lower()
        assert "orders" in console.ask("/topics", headers=host).text
        for origin in ("http://console.example", f"http://127.0.0.1:{console.port}", "https://evil.example"):
            refused = console.ask("/login", form, {**host, "Origin": origin})
            assert (refused.status, "which is at https://console.example." in refused.text) == (403, True)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://console.example", "give https://NAME"),
        ("console.example", "give https://NAME"),
        ("https://", "give https://NAME"),
        ("https://me@console.example", "give https://NAME"),
        ("https://console.example:no", "give https://NAME"),
        ("https://example.com/console", "it cannot be below a path"),
    ],
)
def test_a_public_url_that_browsers_cannot_come_by_is_refused(
    url: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["console", "--public-url", url]) == 2
    assert said in capsys.readouterr().err


def test_a_login_leads_to_no_other_site(console: ConsoleProcess) -> None:
    form = {"user": "admin", "password": PASSWORDS["admin"], "mechanism": "SCRAM-SHA-512"}
    for where in ("https://evil.example/", "//evil.example/", "/\\evil.example/"):
        assert console.ask("/login", {**form, "next": where}).headers["location"] == "/"


def test_an_address_that_others_reach_requires_a_login(server: SecureServer) -> None:
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), host="0.0.0.0") as open_to_all:
        assert open_to_all.ask("/").headers["location"].startswith("/login")
