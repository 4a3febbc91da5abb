import math
from typing import Any

import pytest

from deputize.usd import rounded_up_usd


@pytest.mark.parametrize(
    ("amount", "sent"),
    [
        (0, 0),
        (3, 3),
        (0.25, 0.25),
        (0.1 + 0.2, 0.3),
        (0.1 + 0.2 - 0.3, 0),
        (1.1 * 3, 3.3),
        (sum([0.7] * 1000), 700),
        (100000.1 + 200000.2, 300000.3),
        (12_345_678.9 + 0.3, 12_345_679.2),
        (0.000001, 0.000001),
        (0.0000001, 0.000001),
        (0.00000015 * 1234, 0.000186),
        (99_999_999.999999, 99_999_999.999999),
        (1_000_000_000, 1_000_000_000),
    ],
)
def test_an_amount_is_rounded_up_to_a_millionth_without_float_noise(amount: float, sent: float) -> None:
    assert rounded_up_usd(amount) == sent


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf, -0.01, 1e9 + 1, 10**400])
def test_an_amount_that_is_not_finite_negative_or_too_large_is_rejected(amount: float) -> None:
    with pytest.raises(ValueError, match="spend_usd must be US dollars, from 0 to 1000000000"):
        rounded_up_usd(amount)


@pytest.mark.parametrize("amount", ["1", True, None])
def test_what_is_not_a_number_is_rejected(amount: Any) -> None:
    with pytest.raises(TypeError, match="spend_usd"):
        rounded_up_usd(amount)
