"""Builders for tokens and clients, valid by default."""

import secrets
from typing import Any

from deputize import AgentKey, ApiKey, Deputy, DpopToken
from deputize.api import IssuedToken
from tests.program import Program


def a_token(deputy: Deputy, **changes: Any) -> IssuedToken:
    wanted = {
        "developer_email": "dev@example.com",
        "agent_id": "calendar-bot",
        "resources": ["calendar:events", "calendar:7"],
        "actions": ["read", "write", "delegate"],
        **changes,
    }
    return deputy.issue_l1(**wanted)


def a_developer(program: Program) -> Deputy:
    return Deputy(program.url, credential=ApiKey(program.key("developer")))


def a_bound_token(program: Program, **changes: Any) -> tuple[IssuedToken, AgentKey]:
    """Returns a token in keyed mode, bound to the key of a new agent: in keyed mode, a name belongs to one agent."""
    key = AgentKey.generate()
    wanted = {"agent_id": f"bot-{secrets.token_hex(4)}", "agent_jwk": key.jwk, **changes}
    with a_developer(program) as developer:
        return a_token(developer, **wanted), key


def an_agent(program: Program, **changes: Any) -> tuple[IssuedToken, Deputy]:
    """Returns an agent in keyed mode that calls with its own token."""
    issued, key = a_bound_token(program, **changes)
    return issued, Deputy(program.url, credential=DpopToken(issued["compact_jwt"], key))
