"""Which steps of a round get code of their own from Spark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from muster.pipeline.generated_code import GeneratedCode

CODE = "spark.sql.codegen.factoryMode"
MANY = 200_000


class Conf(dict[str, str]):
    def set(self, name: str, value: str) -> None:
        self[name] = value


def code_of(session: Any, code: GeneratedCode, step: str, records: int = 0, has_large_state: bool = False) -> str:
    before = session.conf[CODE]
    with code.only_if_worth_it(session, step, records, has_large_state=has_large_state):
        inside: str = session.conf[CODE]
    assert session.conf[CODE] == before
    return inside


@pytest.fixture(params=["FALLBACK", "CODEGEN_ONLY"])
def session(request: pytest.FixtureRequest) -> Any:
    return SimpleNamespace(conf=Conf({CODE: request.param}))


def test_a_step_that_is_made_once_of_few_rows_gets_none(session: Any) -> None:
    assert code_of(session, GeneratedCode(), "now") == "NO_CODEGEN"


def test_a_step_that_comes_again_gets_what_the_session_has(session: Any) -> None:
    code = GeneratedCode()
    code_of(session, code, "now")
    assert code_of(session, code, "now") == session.conf[CODE]
    assert code_of(session, code, "ends") == "NO_CODEGEN"


@pytest.mark.parametrize(("records", "has_large_state"), [(MANY, False), (0, True)])
def test_many_rows_are_worth_it_at_once(session: Any, records: int, has_large_state: bool) -> None:
    assert code_of(session, GeneratedCode(), "fold", records, has_large_state) == session.conf[CODE]


def test_a_small_run_generates_code_for_a_large_state_only() -> None:
    session, code = SimpleNamespace(conf=Conf({CODE: "NO_CODEGEN"})), GeneratedCode()
    assert [code_of(session, code, "now") for _ in range(2)] == ["NO_CODEGEN"] * 2
    assert code_of(session, code, "fold", MANY) == "NO_CODEGEN"
    assert code_of(session, code, "now", has_large_state=True) == "FALLBACK"


def test_the_session_has_its_setting_back_after_a_failure(session: Any) -> None:
    before = session.conf[CODE]
    with pytest.raises(ZeroDivisionError), GeneratedCode().only_if_worth_it(session, "now"):
        raise ZeroDivisionError
    assert session.conf[CODE] == before
