"""Mistakes that mypy must report. It fails on an unused `type: ignore`, so each mistake here is found."""

from typing import cast

from deputize import AsyncDeputy, Deputy
from deputize.api import ConstraintsInput, EventType


def misspelled_limits(deputy: Deputy) -> None:
    deputy.delegate(vat_jti="vat_1", agent_id="bot", constraints={"max_spend": 5})  # type: ignore[arg-type]
    deputy.delegate(vat_jti="vat_1", agent_id="bot", constraints={"max_spend_usd": "5"})  # type: ignore[arg-type]


def limits_of_resource_servers(deputy: Deputy) -> None:
    """Members that start with x_ can't be in a TypedDict."""
    limits = cast(ConstraintsInput, {"max_spend_usd": 5, "x_region": "eu"})
    deputy.delegate(vat_jti="vat_1", agent_id="bot", constraints=limits)


def misspelled_events(deputy: Deputy, later: AsyncDeputy) -> None:
    deputy.events(types=["token.revoked", "token.revokd"])  # type: ignore[list-item]
    later.events(types=["token.revokd"])  # type: ignore[list-item]
    known: list[EventType] = ["token.revoked"]
    deputy.events(types=known)
