"""Keyed mode: a developer issues a token bound to an agent's key, and the agent calls with DPoP proofs."""

import os

from deputize import AgentKey, ApiKey, Deputy, DpopToken, with_authority

url = os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420")
key = AgentKey.generate()  # store it with key.to_pem(password), load it with AgentKey.from_pem(pem, password)

with Deputy(url, credential=ApiKey(os.environ["DEPUTY_KEY"])) as developer:
    token = developer.issue_l1(
        developer_email="dev@example.com",
        agent_id="calendar-bot",
        resources=["calendar:events"],
        actions=["read"],
        agent_jwk=key.jwk,
    )

with Deputy(url, credential=DpopToken(token["compact_jwt"], key)) as agent:
    with with_authority(agent, vat_jti=token["jti"], action="read", resource="calendar:events") as action:
        pass  # your work goes here
    print(agent.get_record(action.aar_id)["state"])
