"""Amounts in US dollars, as the service accepts them: with at most six decimals."""

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from typing import Final

#: The largest amount that the service accepts.
_MAX_USD: Final = 1_000_000_000
_MICRO: Final = Decimal("0.000001")
_NANO: Final = Decimal("0.000000001")
# Not the program's context, which may round differently or raise.
_CONTEXT: Final = Context(prec=40)


def rounded_up_usd(amount: float) -> float:
    """Returns `amount` rounded up to a millionth of a dollar. Under half a billionth is float noise: 0.1 + 0.2 is 0.3.

    Raises ValueError for an amount that is negative, too large or NaN.
    """
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"spend_usd must be a number of US dollars, not {amount!r}")
    if not 0 <= amount <= _MAX_USD:
        shown = "more" if amount > _MAX_USD else repr(amount)
        raise ValueError(f"spend_usd must be US dollars, from 0 to {_MAX_USD}. It is {shown}")
    if amount == int(amount):
        return amount
    # A float has 15 exact digits. The noise of sums is larger, but far below a billionth.
    exact = Decimal(f"{amount:.15g}").quantize(_NANO, ROUND_HALF_EVEN, _CONTEXT)
    return float(exact.quantize(_MICRO, ROUND_CEILING, _CONTEXT))
