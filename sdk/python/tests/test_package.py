"""The built package, and every example in the documentation."""

import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from deputize import Deputy
from tests.builders import a_token
from tests.program import PATIENCE_S, ROOT, Program, free_port

PACKAGE = ROOT / "sdk/python"
EXAMPLES = ROOT / "examples/python"


def python_blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


BLOCKS = python_blocks("docs/guides/sdk-python.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(PACKAGE)]
    subprocess.run(build, check=True, cwd=folder)
    [made] = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a new folder outside the repository where pip installed the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)], check=True)
    return folder


def environment(installed: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(installed), "PYTHONWARNINGS": "error::DeprecationWarning", **more}


def run(installed: Path, *command: str, **more: str) -> str:
    started = [sys.executable, *command]
    done = subprocess.run(started, cwd=installed, env=environment(installed, **more), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_contains_only_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read("deputize-0.1.0.dist-info/METADATA").decode()
    modules = {f"deputize/{path.name}" for path in (PACKAGE / "deputize").glob("*.py")}
    assert {name for name in names if not name.startswith("deputize-0.1.0.dist-info/")} == {
        *modules,
        "deputize/py.typed",
    }
    assert wheel.stat().st_size < 160_000  # a third is the types of every answer and event
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line]
    assert sorted(re.findall(r"Requires-Dist: (\w+)", "\n".join(required))) == ["cryptography", "httpx"]
    assert "Requires-Python: >=3.10" in metadata


def test_the_wheel_has_complete_metadata_and_the_license(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("deputize-0.1.0.dist-info/METADATA").decode()
        license_text = archive.read("deputize-0.1.0.dist-info/licenses/LICENSE")
    fields = {line.split(":")[0] for line in metadata.split("\n\n")[0].splitlines()}
    assert {"Summary", "Keywords", "Classifier", "Project-URL", "License-Expression", "License-File"} <= fields
    assert "Classifier: Typing :: Typed" in metadata
    assert license_text == (ROOT / "LICENSE").read_bytes()


def test_the_readme_example_runs_as_written(installed: Path, open_program: Program) -> None:
    [block] = python_blocks("sdk/python/README.md")
    assert run(installed, "-c", block.replace("http://127.0.0.1:8420", open_program.url)) == "['stand-up', 'lunch']\n"


def test_the_quick_start_of_the_guide_runs_as_written(installed: Path, open_program: Program) -> None:
    script = BLOCKS[0].replace("http://127.0.0.1:8420", open_program.url)
    assert run(installed, "-c", script).splitlines() == ["completed", "['action_not_in_scope']"]
    where = run(installed, "-c", "import deputize; print(deputize.__file__)")
    assert Path(where.strip()).parent == installed / "deputize"


def test_every_other_block_of_the_guide_runs(installed: Path) -> None:
    assert len(BLOCKS) == 8
    for block in BLOCKS[1:]:
        run(installed, "-c", block)


def test_the_guide_shows_an_agent_that_acts_and_delegates(installed: Path, open_program: Program) -> None:
    [block] = [block for block in BLOCKS if "def plan(" in block]
    assert run(installed, "-c", f"{block}\nprint(plan(Deputy({open_program.url!r})))") == "['stand-up']\n"


def test_the_guide_shows_governed_tools(installed: Path, open_program: Program) -> None:
    [block] = [block for block in BLOCKS if "def calendar_tools(" in block]
    program = f"""{block}
from deputize import Deputy
deputy = Deputy({open_program.url!r})
token = deputy.issue_l1(
    developer_email="dev@example.com", agent_id="bot", resources=["calendar:work"], actions=["read"]
)
read, delete = calendar_tools(ActingAgent(deputy, token))
print(read("work"), delete("lunch").splitlines()[1])
"""
    assert run(installed, "-c", program) == "['stand-up'] Reasons: action_not_in_scope.\n"


def test_the_guide_shows_a_tool_whose_arguments_are_limited(installed: Path, open_program: Program) -> None:
    [block] = [block for block in BLOCKS if "def transfer_tool(" in block]
    program = f"""{block}
import inspect
from deputize import Deputy, NotAuthorized
deputy = Deputy({open_program.url!r})
limits = {{"arguments": {{"transfer": {{"/amount": {{"max": 100}}}}}}}}
token = deputy.issue_l1(
    developer_email="dev@example.com", agent_id="bot", resources=["bank:*"], actions=["transfer"], constraints=limits
)
transfer = transfer_tool(ActingAgent(deputy, token))
print(transfer.__name__, inspect.signature(transfer), transfer.__doc__)
print(transfer("alice", amount=10))
[record] = deputy.iter_records(provenance_ref=token["provenance_ref"])
print(record["resource"], record["spend_usd"], record["metadata"])
try:
    transfer("alice", 1000)
except NotAuthorized as error:
    print(error.reasons)
"""
    assert run(installed, "-c", program).splitlines() == [
        "transfer (account: str, amount: float) -> str Transfers US dollars to an account.",
        "10 sent to alice",
        "bank:alice 10 {'account': 'alice', 'amount': 10}",
        "['argument_not_allowed']",
    ]


def test_the_package_works_without_the_frameworks(installed: Path) -> None:
    hidden = "import sys; sys.modules.update(fastapi=None, flask=None, opentelemetry=None)\nimport deputize"
    run(installed, "-c", hidden)


def test_the_quick_start_example_runs(installed: Path, open_program: Program) -> None:
    printed = run(installed, str(EXAMPLES / "quick_start.py"), DEPUTY_URL=open_program.url).splitlines()
    assert printed[:2] == ["completed", "['action_not_in_scope']"]
    assert 0 <= float(printed[2]) <= 1
    assert printed[3] == "True"


def test_the_tracing_example_runs(installed: Path, open_program: Program) -> None:
    printed = run(installed, str(EXAMPLES / "traced.py"), DEPUTY_URL=open_program.url).splitlines()
    trace_id = printed[0].split()[0]
    assert printed == [
        f"{trace_id} ask the calendar",
        f"{trace_id} execute_tool list_events",
        f"{trace_id} plan my day",
        f"the record: {trace_id}",
    ]


def test_the_opentelemetry_guide_runs(installed: Path) -> None:
    guide = (ROOT / "docs/guides/opentelemetry.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    run(installed, "-c", block)


def test_the_offline_example_runs(installed: Path, open_program: Program) -> None:
    printed = run(installed, str(EXAMPLES / "offline.py"), DEPUTY_URL=open_program.url)
    assert printed.splitlines() == ["agent:calendar-bot", "token_revoked"]


def test_the_example_with_many_agents_runs(installed: Path, open_program: Program) -> None:
    printed = run(installed, str(EXAMPLES / "many_agents.py"), DEPUTY_URL=open_program.url)
    assert printed.splitlines() == ["['planned week', ['stand-up']]", "2"]


def test_the_dpop_example_runs(installed: Path, keyed_program: Program) -> None:
    key = keyed_program.key("developer")
    printed = run(installed, str(EXAMPLES / "proving_agent.py"), DEPUTY_URL=keyed_program.url, DEPUTY_KEY=key)
    assert printed.splitlines() == ["completed"]


@contextmanager
def running(installed: Path, example: str, deputy_url: str) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    more = environment(installed, DEPUTY_URL=deputy_url, PORT=str(port))
    process = subprocess.Popen([sys.executable, str(EXAMPLES / example)], cwd=installed, env=more, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                httpx.get(url, trust_env=False, timeout=PATIENCE_S)
                break
            except httpx.TransportError:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("example", ["fastapi_app.py", "flask_app.py"])
def test_the_example_apps_guard_their_routes(installed: Path, open_program: Program, deputy: Deputy, example: str) -> None:
    token = a_token(deputy)["compact_jwt"]
    headers = {"Authorization": f"Bearer {token}"}
    with running(installed, example, open_program.url) as url, httpx.Client(base_url=url, trust_env=False) as client:
        assert client.get("/calendars/7", headers=headers).json() == {"7": ["stand-up"]}
        assert client.get("/calendars/8", headers=headers).json()["reasons"] == ["resource_not_in_scope"]
        assert "agent:calendar-bot" in client.get("/who", headers=headers).text
        assert client.get("/who").status_code == 401


def test_every_example_has_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if path.name not in text] == []
