"""The pytest plugin as users get it: fixtures, marker, options, and the story of the groups beside a failure."""

from __future__ import annotations

import re

import pytest

pytest_plugins = ("pytester",)


def test_the_fixture_gives_each_test_a_broker_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_one(muster_broker):
            muster_broker.produce("orders", "a")

        def test_two(muster_broker):
            assert muster_broker.kit.node.broker.topic("orders") is None
        """
    )
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_the_marker_says_what_the_broker_is_like(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.muster(settings={"group.max.size": 7}, topics={"orders": 3}, frozen=True)
        def test_marked(muster_broker):
            assert muster_broker.clock.is_frozen
            assert muster_broker.kit.node.settings.integer("group.max.size") == 7
            assert muster_broker.produce("orders", "a", partition=2) == [(2, 0)]
        """
    )
    pytester.runpytest_inprocess("--strict-markers").assert_outcomes(passed=1)


def test_options_and_ini_reach_every_fixture(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmuster_settings =\n    group.max.size = 5\n    num.partitions = 3\n")
    pytester.makepyfile(
        """
        def size(broker):
            return broker.kit.node.settings.integer("group.max.size")

        def test_all(muster_broker, muster_session_broker, muster_broker_factory):
            brokers = [muster_broker, muster_session_broker, muster_broker_factory(topics={"orders": 2})]
            assert [size(broker) for broker in brokers] == [6, 6, 6]
            assert all(broker.clock.is_frozen for broker in brokers)
            assert muster_broker.produce("new", "a", "b", "c")[2] == (2, 0)
        """
    )
    pytester.runpytest_inprocess("--muster-frozen", "--muster-set", "group.max.size=6").assert_outcomes(passed=1)


def test_one_broker_serves_the_whole_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_one(muster_session_broker):
            muster_session_broker.produce("orders", "a")

        def test_two(muster_session_broker):
            assert [record.value for record in muster_session_broker.records("orders")] == [b"a"]
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_failed_test_shows_what_happened_to_its_groups(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from tests.server.groups.group_client import GroupClient

        def test_it(muster_broker):
            with GroupClient(muster_broker.port, "raw") as client:
                client.join("billing").answer()
                assert False
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*groups of the broker at 127.0.0.1:*", "billing is Empty*", "*was given a member id*"]
    )


def test_a_call_that_makes_no_sense_is_shown_at_the_line_of_the_test(pytester: pytest.Pytester) -> None:
    """No frame of the kit, of the broker's thread or of asyncio is between: nobody looks for the mistake there."""
    calls = (
        "broker.produce('orders', 3)",
        "broker.produce('orders', 'a', partition=7)",
        "broker.create_topic('other', '3')",
        "broker.create_topic('orders')",
        "broker.delete_topic('none')",
        "broker.group('g').expire('nobody')",
        "broker.group('g').wait('Stabel')",
        "broker.group('g').wait('Stable', timeout=0)",
        "broker.transaction('t').expire()",
        "broker.faults.error('Heartbeat', 'NO_SUCH_ERROR')",
        "broker.clock.advance(seconds=-1)",
        "Broker(topics=['orders'])",
        "Broker({'no.such.setting': 1})",
    )
    tests = [f"def test_{number}(broker):\n    {call}\n" for number, call in enumerate(calls)]
    fixture = "@pytest.fixture\ndef broker(muster_session_broker):\n    return muster_session_broker\n"
    first = "def test_topic(broker):\n    broker.create_topic('orders')\n"
    pytester.makepyfile("\n".join(["import pytest", "from muster.testing import Broker", fixture, first, *tests]))
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=len(calls))
    shown = re.findall(r"^(\S+\.py):\d+:", result.stdout.str(), flags=re.MULTILINE)
    assert {*shown} == {path.name for path in pytester.path.glob("test_*.py")}
    assert len(shown) == len(calls)


def test_an_error_of_the_tests_own_function_keeps_its_frames(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def own():
            raise ValueError("mine")

        def test_it(muster_broker):
            muster_broker.run(own)
        """
    )
    pytester.runpytest_inprocess().stdout.fnmatch_lines(["*raise ValueError*mine*"])


def test_a_fault_that_nobody_met_is_in_the_summary(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_it(muster_broker):
            muster_broker.faults.error("Heartbeat", "NOT_COORDINATOR")
        """
    )
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*UnusedFault: a fault was never met: Heartbeat is answered NOT_COORDINATOR*"])


def test_a_setting_without_a_value_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(muster_broker): pass")
    result = pytester.runpytest_inprocess("--muster-set", "group.max.size")
    result.stdout.fnmatch_lines(["*muster setting 'group.max.size': expected NAME=VALUE*"])
