"""Amounts in US dollars, as the service accepts them: with at most six decimals."""

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from math import isfinite
from typing import Final

_MICRO: Final = Decimal("0.000001")
_NANO: Final = Decimal("0.000000001")
# Not that of the program, which may round otherwise or raise.
_CONTEXT: Final = Context(prec=40)


def rounded_up_usd(amount: float) -> float:
    """`amount` rounded up to a millionth of a dollar. Less than half a billionth more is float noise: 0.1 + 0.2 is 0.3.

    Raises ValueError for an amount that is negative, infinite or NaN.
    """
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"spend_usd must be a number of US dollars, not {amount!r}")
    if not isfinite(amount) or amount < 0:
        raise ValueError(f"spend_usd must be a finite amount of 0 or more, not {amount!r}")
    if amount == int(amount):
        return amount
    # A float has 15 exact digits. The noise of sums is larger, but far below a billionth.
    exact = Decimal(f"{amount:.15g}").quantize(_NANO, ROUND_HALF_EVEN, _CONTEXT)
    return float(exact.quantize(_MICRO, ROUND_CEILING, _CONTEXT))
