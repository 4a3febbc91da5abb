"""Exceptions of the SDK, apart from the calls that raise them."""

import copy
import pickle

import pytest

from deputize import BadAnswer, DeputyError, Incomplete, LogFault, NotAuthorized, ProofError, TokenError, Unreachable, WebhookRefused
from deputize.api import TokenUnknownError

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
