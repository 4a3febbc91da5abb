"""The programs that the dashboard shows to beginners run exactly as shown."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.program import ROOT, Program, node

SNIPPETS = ROOT / "web/app/screens/first-run/snippets.ts"
TOKEN = {
    "developer_email": "o'neil@example.com",
    "agent_id": "first-steps-bot",
    "resources": ["calendar:events"],
    "actions": ["read", "write"],
    "max_spend_usd": 5,
}


def shown(function: str, *arguments: object) -> str:
    """Returns the text that the dashboard shows for these arguments."""
    program = f"const all = await import({json.dumps(SNIPPETS.as_uri())}); process.stdout.write(all.{function}(...{json.dumps(arguments)}))"
    asked = [node(), "--input-type=module", "--eval", program]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout


def run(text: str, directory: Path, **variables: str) -> str:
    asked = [sys.executable, "-c", text]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python"), **variables}
    return subprocess.run(
        asked, cwd=directory, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_open_mode(open_program: Program, tmp_path: Path) -> None:
    url = open_program.url
    jti = run(shown("issueSnippet", "python", url, TOKEN), tmp_path)
    assert jti.startswith("vat_root_")
    assert run(shown("recordSnippet", "python", url, TOKEN, jti), tmp_path).startswith("aar_")


def test_keyed_mode(keyed_program: Program, tmp_path: Path) -> None:
    text = shown("keyedSnippet", "python", keyed_program.url, TOKEN)
    assert run(text, tmp_path, DEPUTY_API_KEY=keyed_program.key("developer")).startswith("aar_")
