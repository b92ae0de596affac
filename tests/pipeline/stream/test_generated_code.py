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


def code_of(spark: Any, code: GeneratedCode, step: str, records: int = 0, has_large_state: bool = False) -> str:
    before = spark.conf[CODE]
    with code.only_if_worth_it(spark, step, records, has_large_state=has_large_state):
        inside: str = spark.conf[CODE]
    assert spark.conf[CODE] == before
    return inside


@pytest.fixture(params=["FALLBACK", "CODEGEN_ONLY"])
def spark(request: pytest.FixtureRequest) -> Any:
    return SimpleNamespace(conf=Conf({CODE: request.param}))


def test_a_step_that_is_made_once_of_few_rows_gets_none(spark: Any) -> None:
    assert code_of(spark, GeneratedCode(), "now") == "NO_CODEGEN"


def test_a_step_that_comes_again_gets_what_the_session_has(spark: Any) -> None:
    code = GeneratedCode()
    code_of(spark, code, "now")
    assert code_of(spark, code, "now") == spark.conf[CODE]
    assert code_of(spark, code, "ends") == "NO_CODEGEN"


@pytest.mark.parametrize(("records", "has_large_state"), [(MANY, False), (0, True)])
def test_many_rows_are_worth_it_at_once(spark: Any, records: int, has_large_state: bool) -> None:
    assert code_of(spark, GeneratedCode(), "fold", records, has_large_state) == spark.conf[CODE]


def test_a_small_run_generates_code_for_a_large_state_only() -> None:
    spark, code = SimpleNamespace(conf=Conf({CODE: "NO_CODEGEN"})), GeneratedCode()
    assert [code_of(spark, code, "now") for _ in range(2)] == ["NO_CODEGEN"] * 2
    assert code_of(spark, code, "fold", MANY) == "NO_CODEGEN"
    assert code_of(spark, code, "now", has_large_state=True) == "FALLBACK"


def test_the_session_has_its_setting_back_after_a_failure(spark: Any) -> None:
    before = spark.conf[CODE]
    with pytest.raises(ZeroDivisionError), GeneratedCode().only_if_worth_it(spark, "now"):
        raise ZeroDivisionError
    assert spark.conf[CODE] == before
