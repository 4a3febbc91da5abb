"""Scores of the trust graph: the same integers as in Node and in browsers."""

from typing import Any

from deputize.trust import TrustLedger, VouchScore
from tests.vectors import read_vector

LOGS = read_vector("trust/random-logs.json")


def as_json(score: VouchScore) -> dict[str, Any]:
    return {
        "subject": score.subject,
        "score": score.score,
        "flow": score.flow,
        "anchors": score.anchors,
        "vouches": score.vouches,
        "truncated": score.truncated,
        "paths": [
            {
                "flow": path.flow,
                "steps": [
                    {"vouch_id": step.vouch_id, "from": step.giver, "capacity": step.capacity} for step in path.steps
                ],
            }
            for path in score.paths
        ],
        "cut": [
            {
                "limit": part.limit,
                "vouch_id" if part.limit == "vouch" else "human_ref": part.name,
                "capacity": part.capacity,
            }
            for part in score.cut
        ],
    }


def test_scores_paths_and_cuts_are_those_of_the_service() -> None:
    compared = 0
    for log in LOGS:
        ledger = TrustLedger()
        for leaf in log["leaves"]:
            ledger.apply(leaf)
        assert ledger.size == len(log["leaves"])
        for question in log["scores"]:
            options = question["options"]
            score = ledger.score(
                question["subject"],
                context=options.get("context"),
                seen_by=options.get("as"),
                limit=options.get("limit", 10_000),
            )
            assert as_json(score) == question["answer"]
            compared += 1
    assert compared == 146


def test_leaves_of_any_shape_change_nothing() -> None:
    ledger = TrustLedger()
    for leaf in (
        {},
        {"type": "vouch.made"},
        {"type": "vouch.made", "vouch_id": "v", "from": 7, "to": [], "weight": True, "tenant_id": None},
        {"type": "vouch.changed", "vouch_id": {}, "weight": "1"},
        {"type": "action.rated", "agent_id": "agent:a", "rating": []},
        {"type": "anchor.named", "human_ref": "", "tenant_id": "default", "base": 1},
        {"type": "human.erased", "human_ref": ["p"]},
        {"type": ["session.begun"]},
    ):
        ledger.apply(leaf)
    assert ledger.score("agent:a").flow == 0
