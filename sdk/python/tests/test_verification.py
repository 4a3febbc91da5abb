import json
from typing import Any

from deputize import Deputy, answer_session
from tests.a_server import a_server, answer


def a_step(number: int) -> dict[str, Any]:
    return {"step_id": f"st_{number}", "kind": "neutral", "duration_ms": 1500}


def test_a_camera_answers_every_step_and_again_what_was_not_good_enough() -> None:
    planned = [
        answer(accepted=False, reasons=[{"code": "too_dark", "detail": "d"}], step=a_step(2), media_digest="a"),
        answer(accepted=True, reasons=[], step=a_step(3), media_digest="b"),
        answer(accepted=True, reasons=[], media_digest="c"),
    ]
    session = {"session_id": "vs_1", "nonce": "n", "step": a_step(1), "capture": {"lead_ms": 1}}
    asked: list[str] = []

    def camera(step: Any, _settings: Any) -> dict[str, Any]:
        asked.append(step["step_id"])
        return {"frames": [{"t_ms": 0, "jpeg": "AAAA"}]}

    with a_server(*planned) as served, Deputy(served.url) as deputy:
        assert answer_session(deputy, session, camera) == ["b", "c"]
    assert asked == ["st_1", "st_2", "st_3"]
    assert [seen.path for seen in served.seen] == ["/v1/vat/auth/sessions/vs_1/steps"] * 3
    sent = json.loads(served.seen[0].body)
    assert sent == {"nonce": "n", "step_id": "st_1", "frames": [{"t_ms": 0, "jpeg": "AAAA"}]}
