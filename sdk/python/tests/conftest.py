from collections.abc import Iterator

import pytest

from deputize import Deputy
from tests.program import Program, a_program


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def open_program() -> Iterator[Program]:
    with a_program("open") as program:
        yield program


@pytest.fixture(scope="session")
def keyed_program() -> Iterator[Program]:
    with a_program("keyed") as program:
        yield program


@pytest.fixture
def mortal_program() -> Iterator[Program]:
    """A separate service, for tests that stop it."""
    with a_program("open") as program:
        yield program


@pytest.fixture
def deputy(open_program: Program) -> Iterator[Deputy]:
    with Deputy(open_program.url) as client:
        yield client
