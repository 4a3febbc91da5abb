"""The shapes of all answers, and a class for each refusal: `from deputy_sdk.api import Record, TokenUnknownError`."""

from deputy_sdk._generated import *
