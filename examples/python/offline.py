"""Verifies a token offline, before and after it is revoked."""

import os
import time

from deputize import Deputy, TokenError, Verifier

with Deputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420")) as deputy:
    token = deputy.issue_l1(
        developer_email="dev@example.com",
        agent_id="calendar-bot",
        resources=["calendar:*"],
        actions=["read"],
        audience="https://calendar.example.com",
    )
    verifier = Verifier(deputy, audience="https://calendar.example.com", refresh_s=1)

    claims = verifier.verify_token(token["compact_jwt"], action="read", resource="calendar:events")
    print(claims["sub"])

    deputy.revoke_token(vat_jti=token["jti"])
    time.sleep(1)
    try:
        verifier.verify_token(token["compact_jwt"])
    except TokenError as error:
        print(error.code)
