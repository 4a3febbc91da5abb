"""The service as a user starts it: its own process, its own socket, its own files."""

import os
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from deputize import ApiKey, Deputy

ROOT = Path(__file__).resolve().parents[3]

Role = Literal["operator", "developer", "resource_server", "auditor"]


@cache
def node() -> str:
    """The Node that comes with the project."""
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
    operator_key: str | None = None

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def start_again(self) -> None:
        """The same service on the same files and the same port."""
        again = _started(self.data_dir, self.port, self.access)
        self.process = again.process

    def key(self, role: Role, **more: Any) -> str:
        """An API key of the tenant `default`, in keyed mode."""
        if self.operator_key is None:
            with Deputy(self.url) as nobody:
                self.operator_key = nobody.set_up(setup_secret=self.setup_secret or "")["key"]
        with Deputy(self.url, credential=ApiKey(self.operator_key)) as operator:
            return operator.create_key(name=f"{role} {secrets.token_hex(3)}", role=role, **more)["key"]


@contextmanager
def a_program(access: Literal["open", "keyed"]) -> Iterator[Program]:
    with tempfile.TemporaryDirectory() as directory:
        program = _started(Path(directory) / "data", free_port(), access)
        try:
            yield program
        finally:
            if program.process.poll() is None:
                program.stop()


def _started(data_dir: Path, port: int, access: str) -> Program:
    url = f"http://127.0.0.1:{port}"
    environment = {
        "PATH": os.environ["PATH"],
        "PORT": str(port),
        "DEPUTY_DATA_DIR": str(data_dir),
        "DEPUTY_ACCESS": access,
        "DEPUTY_CHECKPOINT_INTERVAL_MS": "100",
        **({"DEPUTY_PUBLIC_URL": url} if access == "keyed" else {}),
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
    ready = r"address.*http.*(?:actions|setup_secret|access.*keyed)" if access == "open" else r"access.*keyed"
    _wait_for(process, output, ready)
    if access == "keyed":
        time.sleep(0.3)  # the secret is printed after the line that we waited for
    secret = re.search(r'"setup_secret": "([^"]+)"', "".join(output))
    return Program(url, data_dir, port, access, process, secret.group(1) if secret else None)


def _read(process: "subprocess.Popen[str]", output: list[str]) -> None:
    if process.stdout is None:
        return
    try:
        output.extend(iter(process.stdout.readline, ""))
    except ValueError:  # closed meanwhile
        return


def _wait_for(process: "subprocess.Popen[str]", output: list[str], pattern: str) -> None:
    deadline = time.monotonic() + 30
    while re.search(pattern, "".join(output), re.DOTALL) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the service did not start:\n{''.join(output)}")
        time.sleep(0.05)
