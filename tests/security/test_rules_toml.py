"""A bad rule is refused with its number, its key and what is allowed there."""

from __future__ import annotations

import pytest

from muster.security.rules import RuleError, rules_from_toml

GOOD = """
[[allow]]
principal = "User:a"
operation = "READ"
resource = "topic"
name = "t"
"""


def changed(line: str, replacement: str) -> str:
    assert line in GOOD
    return GOOD + GOOD.replace(line, replacement)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed('principal = "User:a"', ""), ["[[allow]] rule 2", "principal is missing"]),
        (changed('"User:a"', '"alice"'), ["[[allow]] rule 2", "'alice'", "User:alice"]),
        (changed('"User:a"', "7"), ["[[allow]] rule 2", "principal is 7"]),
        (changed('"READ"', '"REED"'), ["[[allow]] rule 2", "'REED'", "READ, WRITE"]),
        (changed('"READ"', "[]"), ["[[allow]] rule 2", "empty list"]),
        (changed('"READ"', "[3]"), ["[[allow]] rule 2", "operation is [3]"]),
        (changed('operation = "READ"', ""), ["[[allow]] rule 2", "operation is missing"]),
        (changed('"topic"', '"tropic"'), ["[[allow]] rule 2", "'tropic'", "topic, group, cluster"]),
        (changed('"topic"', '"group"').replace("READ", "WRITE"), ["'WRITE'", "resource group"]),
        (changed('name = "t"', ""), ["[[allow]] rule 2", "needs name", "prefix"]),
        (changed('name = "t"', 'name = "t"\nprefix = "u"'), ["[[allow]] rule 2", "both name and prefix"]),
        (changed('name = "t"', 'name = ""'), ["[[allow]] rule 2", "name is ''"]),
        (changed('name = "t"', 'name = "t"\nhots = "h"'), ["unknown key 'hots'", "did you mean 'host'"]),
        ("[allow]\nprincipal = 'User:a'", ["two brackets"]),
        ("deny = [3]", ["[[deny]] rule 1 is 3"]),
        ("super.users = 'User:a'", ["unknown key 'super'", "quotes"]),
        ("'super.users' = ['User:a']", ["super.users"]),
        ("'super.users' = 'admin'", ["super.users is 'admin'", "User:alice"]),
        ("'allow.everyone.if.no.acl.found' = 'yes'", ["'yes'", "true or false"]),
        ("allow.everyone.if.no.acl.found = true\n" + GOOD, ["not readable as TOML", "need quotes"]),
        ("x = = 1", ["not readable as TOML", "line 1"]),
    ],
)
def test_a_bad_rule_is_refused_with_where_and_what(text: str, words: list[str]) -> None:
    with pytest.raises(RuleError) as refused:
        rules_from_toml(text, "/etc/acl.toml")
    message = str(refused.value)
    assert message.startswith("/etc/acl.toml: ")
    for word in words:
        assert word in message


def test_operation_and_resource_names_in_any_case_and_as_a_list() -> None:
    text = GOOD.replace('"READ"', '["read", "Describe-Configs"]').replace('"topic"', '"Transactional_Id"')
    with pytest.raises(RuleError, match="transactional_id"):
        rules_from_toml(text)
    assert repr(rules_from_toml(text.replace("Transactional_Id", "Topic")).authorizer()).startswith(
        "<RuleAuthorizer 1 "
    )
