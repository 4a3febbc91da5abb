"""Issues a token, acts with it, rates the action and revokes the token. Start the service first: npm ci && npm start"""

import os

from deputize import Deputy, NotAuthorized, with_authority

with Deputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420")) as deputy:
    token = deputy.issue_l1(
        developer_email="dev@example.com",
        agent_id="calendar-bot",
        resources=["calendar:events"],
        actions=["read", "write"],
        constraints={"max_spend_usd": 5},
    )

    with with_authority(deputy, vat_jti=token["jti"], action="read", resource="calendar:events") as action:
        events = ["stand-up", "review"]  # your work goes here
        action.hash(events)
    print(deputy.get_record(action.aar_id)["state"])

    try:
        with with_authority(deputy, vat_jti=token["jti"], action="delete", resource="calendar:events"):
            print("never printed")
    except NotAuthorized as error:
        print(error.reasons)

    deputy.rate_record(action.aar_id, rating="approved")
    print(deputy.get_reputation("calendar-bot")["combined_reputation"])
    print(deputy.revoke_token(vat_jti=token["jti"])["revoked"])
