"""Mistakes in the declaration of a guarded route, which no caller can cause."""

from collections.abc import Callable
from typing import Any

import pytest

from deputize import fastapi, flask

DECLARATIONS: list[Callable[..., Any]] = [fastapi.authority, fastapi.Authority, flask.authority]


@pytest.mark.parametrize("declare", DECLARATIONS)
class TestDeclaration:
    @pytest.mark.parametrize("resource", ["calendarevents", "calendar:", ":events", "calendar:*", "calendar:a b", ""])
    def test_an_invalid_resource_is_rejected(self, declare: Callable[..., Any], resource: str) -> None:
        with pytest.raises(ValueError, match="resource"):
            declare("read", resource)

    @pytest.mark.parametrize("action", ["", " read", "re*", "read\n"])
    def test_an_invalid_action_is_rejected(self, declare: Callable[..., Any], action: str) -> None:
        with pytest.raises(ValueError, match="action"):
            declare(action, "calendar:events")

    def test_values_of_another_type_are_rejected(self, declare: Callable[..., Any]) -> None:
        for action, resource, more in (
            (None, "calendar:events", {}),
            ("read", ["calendar:events"], {}),
            ("read", "calendar:events", {"spend_usd": "1"}),
            ("read", "calendar:events", {"metadata": ["shop"]}),
        ):
            with pytest.raises(TypeError):
                declare(action, resource, **more)

    def test_an_impossible_cost_is_rejected(self, declare: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match="spend_usd"):
            declare("buy", "shop:orders", spend_usd=-1)

    def test_metadata_must_not_replace_the_request(self, declare: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match="request"):
            declare("buy", "shop:orders", metadata={"request": {}})

    def test_what_depends_on_the_request_is_not_known_yet(self, declare: Callable[..., Any]) -> None:
        declare("buy", lambda request: "", spend_usd=lambda request: -1, metadata=lambda request: {"request": 1})
