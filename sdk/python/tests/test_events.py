from contextlib import aclosing
from itertools import islice
from typing import Any

import pytest

from deputize import AsyncDeputy, Deputy
from deputize.api import InvalidRequestError
from tests.builders import a_token
from tests.program import a_program

pytestmark = pytest.mark.anyio


def connections_of(client: AsyncDeputy) -> list[Any]:
    pool = client._client._transport._pool  # type: ignore[attr-defined]
    return list(pool.connections)


READ: dict[str, Any] = {"action": "read", "resource": "calendar:events", "result": "success"}


class TestEvents:
    def test_past_and_new_events_come_in_the_order_of_the_log(self, deputy: Deputy) -> None:
        issued = a_token(deputy)
        following = deputy.events(after=-1, provenance_ref=issued["provenance_ref"])
        first = next(iter(following))
        assert first["type"] == "token.issued"
        deputy.record_action(vat_jti=issued["jti"], **READ)
        deputy.revoke_token(vat_jti=issued["jti"])
        rest = list(islice(following, 2))
        assert [event["type"] for event in rest] == ["action.completed", "token.revoked"]
        assert first["log_index"] < rest[0]["log_index"] < rest[1]["log_index"]

    def test_only_the_types_that_are_named(self, deputy: Deputy) -> None:
        issued = a_token(deputy)
        deputy.record_action(vat_jti=issued["jti"], **READ)
        [event] = islice(deputy.events(after=-1, types=["action.completed"], vat_jti=issued["jti"]), 1)
        assert event["type"] == "action.completed" and event["data"]["action"] == "read"
        page = deputy.list_events(type=["token.issued", "action.completed"], vat_jti=issued["jti"])
        assert [each["type"] for each in page["data"]] == ["token.issued", "action.completed"]

    def test_a_refusal_is_raised(self, deputy: Deputy) -> None:
        with pytest.raises(InvalidRequestError):
            next(iter(deputy.events(after=10**9)))

    async def test_the_async_client_follows_too(self, deputy: Deputy) -> None:
        issued = a_token(deputy)
        async with AsyncDeputy(deputy.url) as client:
            async for event in client.events(after=-1, vat_jti=issued["jti"]):
                assert event["type"] == "token.issued"
                break

    async def test_closing_the_iteration_closes_its_connection(self, deputy: Deputy) -> None:
        async with AsyncDeputy(deputy.url) as client:
            async with aclosing(client.events(after=-1)) as events:
                await anext(events)
                assert len(connections_of(client)) == 1
            assert connections_of(client) == []

    def test_nothing_is_missed_when_the_service_restarts(self) -> None:
        with a_program("open") as program, Deputy(program.url) as deputy:
            issued = a_token(deputy)
            following = deputy.events(after=-1)
            assert next(iter(following))["log_index"] == 0
            program.stop()
            program.start_again()
            deputy.record_action(vat_jti=issued["jti"], **READ)
            assert next(iter(following))["log_index"] == 1
