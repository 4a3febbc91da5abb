"""Answers verification sessions with a camera.

>>> from deputize import Deputy, answer_session
>>> def verify_person(deputy: Deputy, human_ref: str, camera):
...     session = deputy.create_verification_session(purpose="verify", human_ref=human_ref)
...     answer_session(deputy, session, camera)
...     return deputy.capture(session_id=session["session_id"], nonce=session["nonce"])
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Mapping

if TYPE_CHECKING:
    from deputize.clients import Deputy

#: Shows a step to the person, records it for `duration_ms`, and returns `frames`, and `audio` where the step asks for
#: speech. Times in the recording count from when the step was shown.
Camera = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]


def answer_session(deputy: Deputy, session: Mapping[str, Any], camera: Camera) -> list[str]:
    """Answers every step of a verification session, and returns the digest of each recording that was accepted.

    Then finish the session with `capture` or `enroll`. The client needs no credential: the nonce of the session is one.

    >>> def enroll(deputy, camera):
    ...     consent = {"version": deputy.get_consent()["version"]}
    ...     session = deputy.create_verification_session(purpose="enroll", consent=consent)
    ...     answer_session(deputy, session, camera)
    ...     return deputy.enroll(session_id=session["session_id"], nonce=session["nonce"])
    """
    media: list[str] = []
    step: Mapping[str, Any] | None = session["step"]
    while step is not None:
        # A recording that starts sooner cannot be an answer to the step.
        time.sleep(session["capture"]["lead_ms"] / 1000)
        recording = camera(step, session["capture"])
        answer: Mapping[str, Any] = deputy.answer_step(
            session["session_id"], nonce=session["nonce"], step_id=step["step_id"], **recording
        )
        if answer["accepted"]:
            media.append(answer["media_digest"])
        step = answer.get("step")
    return media
