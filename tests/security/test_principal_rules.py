"""ssl.principal.mapping.rules, by the examples of KIP-371 and by what can go wrong."""

from __future__ import annotations

import pytest

from muster.security.principal_rules import MappingError, PrincipalRules

KIP_371 = (
    "RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/,"
    "RULE:^CN=(.*?),OU=(.*?),O=(.*?),L=(.*?),ST=(.*?),C=(.*?)$/$1@$2/L, "
    "RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/L,"
    "DEFAULT"
)


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("CN=serviceuser,OU=ServiceUsers,O=Unknown,L=Unknown,ST=Unknown,C=Unknown", "serviceuser"),
        ("CN=adminUser,OU=Admin,O=Unknown,L=Unknown,ST=Unknown,C=Unknown", "adminuser@admin"),
        ("OU=x,cn=Duke.1", "duke.1"),
        ("O=nobody", "O=nobody"),
    ],
)
def test_the_first_rule_that_matches_gives_the_name(subject: str, name: str) -> None:
    assert PrincipalRules(KIP_371).name_of(subject) == name


def test_without_rules_the_subject_is_the_name() -> None:
    assert PrincipalRules().name_of("CN=a,O=b") == PrincipalRules("").name_of("CN=a,O=b") == "CN=a,O=b"


def test_a_subject_that_no_rule_matches_has_no_name() -> None:
    with pytest.raises(MappingError, match="no rule"):
        PrincipalRules("RULE:^CN=(.*)$/$1/U").name_of("O=b")


def test_an_upper_case_rule_and_escaped_slashes() -> None:
    assert PrincipalRules(r"RULE:^CN=(.*)\/(.*)$/$2\/$1/U").name_of("CN=a/b") == "B/A"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("RULE:^CN=(.*)$", "expected DEFAULT or RULE"),
        ("default", "expected DEFAULT or RULE"),
        ("RULE:(/$1/", "cannot be read"),
        ("RULE:^CN=(.*)$/$2/", "has 1 groups"),
        ("RULE:a/b/X", "expected a comma"),
        ("DEFAULT DEFAULT", "expected a comma"),
    ],
)
def test_rules_that_cannot_be_are_refused(text: str, problem: str) -> None:
    with pytest.raises(MappingError, match=problem):
        PrincipalRules(text)
