"""The shapes of all answers, and a class for each refusal: `from deputize.api import Record, TokenUnknownError`."""

from deputize._generated import *
