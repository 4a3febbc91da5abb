"""A guard must answer its callers soon, whatever limits its client has."""

from typing import Any

import pytest

from deputize import Deputy
from deputize.guard import Guard


def limits(given: Guard) -> tuple[float, int]:
    return given._deputy.timeout_s, given._deputy.max_retries


@pytest.mark.parametrize(
    ("client", "guard", "used"),
    [
        ({}, {}, (5, 1)),
        ({"timeout_s": 1, "max_retries": 0}, {}, (1, 0)),
        ({}, {"timeout_s": 12, "max_retries": 2}, (12, 2)),
    ],
)
def test_a_guard_waits_less_than_its_client(client: dict[str, Any], guard: dict[str, Any], used: tuple[float, int]) -> None:
    with Deputy("http://127.0.0.1:9", **client) as deputy:
        assert limits(Guard(deputy, public_url="http://127.0.0.1:8", **guard)) == used
        assert deputy.timeout_s == client.get("timeout_s", 20)
