"""The index decides as a plain walk over all rules would, changes count at once, and few rules are looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muster.security.authorizer import RuleAuthorizer
from muster.security.resources import ALLOWED_BY, Operation, ResourceType
from muster.security.rule import Rule
from muster.security.rule_index import RuleIndex

TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
NAMES = ("", "a", "ab", "abc", "b", "ba", "*")
OPERATIONS = (Operation.READ, Operation.WRITE, Operation.DESCRIBE, Operation.ALL)

RULES = st.builds(
    Rule,
    st.booleans(),
    st.sampled_from(("User:x", "User:y", "User:*")),
    st.sampled_from(("*", "10.0.0.1")),
    st.frozensets(st.sampled_from(OPERATIONS), min_size=1, max_size=2),
    st.sampled_from((TOPIC, GROUP)),
    st.sampled_from(NAMES[1:]),
    st.booleans(),
)
QUESTIONS = st.tuples(
    st.sampled_from(("User:x", "User:z")),
    st.sampled_from(("10.0.0.1", "/10.0.0.1", "10.0.0.2")),
    st.sampled_from(OPERATIONS[:3]),
    st.sampled_from((TOPIC, GROUP)),
    st.sampled_from(NAMES),
)


def names(rule: Rule, kind: ResourceType, name: str) -> bool:
    if rule.resource_type is not kind:
        return False
    return name.startswith(rule.name) if rule.is_prefix else rule.name in ("*", name)


def plainly(
    rules: list[Rule], is_open: bool, who: str, host: str, operation: Operation, kind: ResourceType, name: str
) -> bool:
    naming = [rule for rule in rules if names(rule, kind, name)]
    about = [
        rule for rule in naming if rule.principal in (who, "User:*") and rule.host in ("*", host.removeprefix("/"))
    ]
    itself = {operation, Operation.ALL}
    if any(rule.is_denial and rule.operations & itself for rule in about):
        return False
    if any(not rule.is_denial and rule.operations & ALLOWED_BY.get(operation, itself) for rule in about):
        return True
    return is_open and not naming


@given(st.lists(RULES, max_size=12), st.lists(RULES, max_size=4), st.booleans(), st.lists(QUESTIONS, max_size=12))
def test_the_index_answers_like_a_walk_over_all_rules_also_after_changes(
    rules: list[Rule], later: list[Rule], is_open: bool, questions: list[tuple[str, str, Operation, ResourceType, str]]
) -> None:
    authorizer = RuleAuthorizer(rules, allow_everyone_if_no_acl_found=is_open)
    for question in questions:
        assert authorizer.allows(*question) == plainly(rules, is_open, *question)
    authorizer.change(added=later, removed=rules[: len(rules) // 2])
    for question in questions:
        assert authorizer.allows(*question) == plainly(rules[len(rules) // 2 :] + later, is_open, *question)


@given(st.lists(RULES, max_size=12))
def test_an_index_from_which_everything_is_removed_is_empty(rules: list[Rule]) -> None:
    index = RuleIndex()
    for rule in rules:
        index.add(rule)
    assert index.count == len(rules)
    for rule in reversed(rules):
        index.remove(rule)
    assert index.count == 0
    assert list(index.of_type(TOPIC)) == list(index.of_type(GROUP)) == []
    assert list(index.naming(TOPIC, "abc")) == []


def test_what_a_file_and_an_acl_both_say_stays_when_one_of_them_goes() -> None:
    rule = Rule(False, "User:x", "*", frozenset({Operation.READ}), TOPIC, "a")
    authorizer = RuleAuthorizer([rule])
    authorizer.change(added=[rule])
    authorizer.change(removed=[rule])
    assert authorizer.allows("User:x", "h", Operation.READ, TOPIC, "a")
    authorizer.change(removed=[rule])
    assert not authorizer.allows("User:x", "h", Operation.READ, TOPIC, "a")


def test_of_thousands_of_rules_a_question_meets_only_its_own() -> None:
    """By name, by the lengths of prefixes, by principal."""
    index = RuleIndex()
    for number in range(5_000):
        for name, is_prefix in ((f"t{number}", False), (f"team-{number:04}-", True), ("*", False)):
            index.add(Rule(False, f"User:{number}", "*", frozenset({Operation.READ}), TOPIC, name, is_prefix))
    met = [by_principal.get("User:7", {}) for by_principal in index.naming(TOPIC, "team-0007-orders")]
    assert [len(rules) for rules in met] == [1, 1]


def allow(name: str, *, prefix: bool = False, deny: bool = False, operation: Operation = Operation.WRITE) -> Rule:
    return Rule(deny, "User:x", "*", frozenset({operation}), TOPIC, name, prefix)


def may_write_somewhere(*rules: Rule, is_open: bool = False) -> bool:
    authorizer = RuleAuthorizer(rules, frozenset({"User:root"}), allow_everyone_if_no_acl_found=is_open)
    assert authorizer.allows_some("User:root", "h", Operation.WRITE, TOPIC)
    return authorizer.allows_some("User:x", "h", Operation.WRITE, TOPIC)


def test_some_topic_may_be_written_if_no_denial_covers_all_that_is_allowed() -> None:
    """KIP-679, as Kafka's authorizer decides it; a denial that covers only a part leaves something."""
    assert may_write_somewhere(allow("orders"))
    assert may_write_somewhere(allow("ord", prefix=True))
    assert may_write_somewhere(allow("*"))
    assert may_write_somewhere(allow("orders", operation=Operation.ALL))
    assert may_write_somewhere(is_open=True)
    assert may_write_somewhere(allow("ord", prefix=True), allow("orders", deny=True))
    assert may_write_somewhere(allow("ord", prefix=True), allow("orders", prefix=True, deny=True))
    assert may_write_somewhere(allow("*"), allow("o", prefix=True, deny=True))
    assert not may_write_somewhere()
    assert not may_write_somewhere(allow("orders", operation=Operation.READ))
    assert not may_write_somewhere(allow("orders"), allow("orders", deny=True))
    assert not may_write_somewhere(allow("orders"), allow("o", prefix=True, deny=True))
    assert not may_write_somewhere(allow("ord", prefix=True), allow("o", prefix=True, deny=True))
    assert not may_write_somewhere(allow("*"), allow("*", deny=True))
    assert not may_write_somewhere(allow("orders"), allow("*", deny=True), is_open=True)
