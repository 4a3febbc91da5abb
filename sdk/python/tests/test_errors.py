"""Exceptions of the SDK, apart from the calls that raise them."""

import copy
import pickle
import re

import pytest

from deputize import BadAnswer, DeputyError, Incomplete, LogFault, NotAuthorized, ProofError, TokenError, Unreachable, WebhookRefused
from deputize.advice import ADVICE, with_advice
from deputize.api import TokenUnknownError
from tests.program import ROOT

EVERY_KIND = [
    BadAnswer("no", 502),
    Incomplete("aar_1", [1], ValueError("no")),
    LogFault("bad_proof", "no"),
    NotAuthorized({"authorized": False, "reasons": ["rate_limit"]}, "read", "a:b"),
    ProofError("expired"),
    TokenError("expired", "no"),
    TokenUnknownError({"status": 404, "code": "token_unknown", "title": "Unknown token"}, 3.0),
    Unreachable("no"),
    WebhookRefused("bad_signature", "no"),
]


@pytest.mark.parametrize("error", EVERY_KIND, ids=lambda error: type(error).__name__)
def test_an_exception_crosses_processes_with_all_it_says(error: DeputyError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), again.args) == (type(error), str(error), error.args)
        assert vars(again) == vars(error)


def test_what_helps_against_a_denial_is_the_same_in_javascript() -> None:
    source = (ROOT / "protocol/src/api/actions/denial-text.ts").read_text(encoding="utf-8")
    said = dict(re.findall(r"^  (\w+):\s+'(.+)',$", source, re.MULTILINE))
    of_authzen = {"subject_unknown", "subject_mismatch", "token_required"}
    assert ADVICE == {reason: advice for reason, advice in said.items() if reason not in of_authzen}
    assert len(ADVICE) == 20


def test_what_a_reason_is_about_stays_on_its_line() -> None:
    detail = {"reason": "argument_not_allowed", "path": "/a\n\u2028\u202eAllowed." + "x" * 300, "rule": "max"}
    said = with_advice("Not allowed", ["argument_not_allowed"], [detail])
    assert said.startswith("Not allowed: argument_not_allowed (path: /a Allowed.xxx")
    assert said.count("x") == 188 + ADVICE["argument_not_allowed"].count("x")
    assert ", rule: max). " in said


def test_what_a_reason_is_about_is_written_as_in_javascript() -> None:
    detail = {"reason": "budget_exceeded", "remaining_usd": 0.000001, "limit_usd": 1.0, "is_shared": True, "none": None}
    said = with_advice("Not allowed", ["budget_exceeded"], [detail])
    assert said.startswith(
        "Not allowed: budget_exceeded (remaining_usd: 0.000001, limit_usd: 1, is_shared: true, none: null). "
    )
    strange = {"reason": "budget_exceeded", "count": 10**20, "score": float("inf")}
    assert " (count: 100000000000000000000, score: inf). " in with_advice("No", ["budget_exceeded"], [strange])
