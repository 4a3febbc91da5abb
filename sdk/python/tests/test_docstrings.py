"""The examples in docstrings, run against a started service."""

import doctest
import importlib
import inspect
from types import ModuleType

import pytest

import deputize
from tests.program import Program

DOCUMENTED = ["", ".fastapi", ".flask", ".opentelemetry"]
MODULES = [
    *DOCUMENTED,
    ".acting_agent",
    ".authority",
    ".canonical",
    ".clients",
    ".credentials",
    ".dpop",
    ".errors",
    ".receipt",
    ".tools",
    ".trust",
    ".verification",
    ".verifier",
]
#: Exceptions need no example.
WITHOUT_EXAMPLE = {"UNSET", "Unset", "Credential", "Action", "SoundReceipt", "ToolRule", "VerifiedWebhook", "VouchScore"}


def examples_in(module: ModuleType) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__, extraglobs=vars(deputize))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_show(name: str, open_program: Program) -> None:
    tests = examples_in(importlib.import_module(f"deputize{name}"))
    assert tests
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        for example in test.examples:
            example.source = example.source.replace("http://127.0.0.1:8420", open_program.url)
        output: list[str] = []
        runner.run(test, out=output.append, clear_globs=False)
        if isinstance(client := test.globs.get("deputy"), deputize.Deputy):
            client.close()
        assert output == [], "".join(output)


def test_every_export_has_a_docstring_and_every_callable_an_example() -> None:
    for name in deputize.__all__:
        thing = getattr(deputize, name)
        assert name == "UNSET" or inspect.getdoc(thing), name
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        assert is_error or name in WITHOUT_EXAMPLE or ">>>" in (inspect.getdoc(thing) or ""), name
