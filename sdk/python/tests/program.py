"""Starts the service as a user does: its own process, port and data directory."""

import os
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import httpx

from deputize import ApiKey, Deputy

ROOT = Path(__file__).resolve().parents[3]

# How long a test waits for something that must happen. Limits tests that hang, far above what a busy machine needs.
PATIENCE_S: Final = 120

_SETUP_SECRET: Final = re.compile(r"dsu_[\w-]+")

Role = Literal["operator", "developer", "resource_server", "auditor"]


@cache
def node() -> str:
    """Returns the Node binary that the project installs."""
    asked = ["npx", "node", "-p", "process.execPath"]
    return subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass
class Program:
    """A running service, in either mode."""

    url: str
    data_dir: Path
    port: int
    access: str
    process: "subprocess.Popen[str]"
    setup_secret: str | None
    settings: Mapping[str, str]
    operator_key: str | None = None

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def start_again(self) -> None:
        """Restarts the service on the same data and port."""
        again = _started(self.data_dir, self.port, self.access, self.settings)
        self.process = again.process

    def key(self, role: Role, **more: Any) -> str:
        """Returns a new API key in the tenant `default`. Keyed mode only."""
        if self.operator_key is None:
            with Deputy(self.url) as anonymous:
                self.operator_key = anonymous.set_up(setup_secret=self.setup_secret or "")["key"]
        with Deputy(self.url, credential=ApiKey(self.operator_key)) as operator:
            return operator.create_key(name=f"{role} {secrets.token_hex(3)}", role=role, **more)["key"]


@contextmanager
def a_program(access: Literal["open", "keyed"], settings: Mapping[str, str] = {}) -> Iterator[Program]:
    with tempfile.TemporaryDirectory() as directory:
        program = _started(Path(directory) / "data", free_port(), access, settings)
        try:
            yield program
        finally:
            if program.process.poll() is None:
                program.stop()


def _started(data_dir: Path, port: int, access: str, settings: Mapping[str, str]) -> Program:
    url = f"http://127.0.0.1:{port}"
    is_new = not data_dir.exists()
    environment = {
        "PATH": os.environ["PATH"],
        "NODE_COMPILE_CACHE": str(ROOT / "node_modules/.cache/compiled"),
        "PORT": str(port),
        "DEPUTY_DATA_DIR": str(data_dir),
        "DEPUTY_ACCESS": access,
        "DEPUTY_CHECKPOINT_INTERVAL_MS": "100",
        **({"DEPUTY_PUBLIC_URL": url} if access == "keyed" else {}),
        **settings,
    }
    process = subprocess.Popen(
        [node(), "server/src/main.ts"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output: list[str] = []
    threading.Thread(target=_read, args=(process, output), daemon=True).start()
    _wait_until(process, output, lambda: _is_ready(url))
    # A new deployment prints the secret that sets up the first operator.
    if access == "keyed" and is_new:
        _wait_until(process, output, lambda: _SETUP_SECRET.search("".join(output)) is not None)
    secret = _SETUP_SECRET.search("".join(output))
    return Program(url, data_dir, port, access, process, secret.group() if secret else None, settings)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", trust_env=False, timeout=PATIENCE_S).is_success
    except httpx.TransportError:
        return False


def _read(process: "subprocess.Popen[str]", output: list[str]) -> None:
    if process.stdout is None:
        return
    try:
        output.extend(iter(process.stdout.readline, ""))
    except ValueError:  # closed by stop()
        return


def _wait_until(process: "subprocess.Popen[str]", output: list[str], is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_done():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the service did not start:\n{''.join(output)}")
        time.sleep(0.05)
