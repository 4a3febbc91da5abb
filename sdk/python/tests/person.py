"""A person with a camera and a passkey, played by a Node program."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.program import ROOT, node

#: Where the passkey is registered.
ORIGIN = "https://deputy.example"
#: Longer than a frame: sound ends after the last picture.
FRAME_S = 0.25


class Person:
    """Does what a step asks, and signs with a passkey."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.engine_dir: str = self._read()["engine_dir"]

    def camera(self, step: Mapping[str, Any], _settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Takes as long as the recording claims, because the service checks the clock."""
        shown_at = time.monotonic()
        recording: Mapping[str, Any] = self._ask(step=step)
        end_s = recording["frames"][-1]["t_ms"] / 1000 + FRAME_S
        time.sleep(max(0, shown_at + end_s - time.monotonic()))
        return recording

    def create_passkey(self, options: Mapping[str, Any]) -> Any:
        return self._ask(create=options)

    def sign(self, options: Mapping[str, Any]) -> Any:
        return self._ask(get=options)

    def _ask(self, **line: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(line)}\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def a_person() -> Iterator[Person]:
    command = [node(), "sdk/python/tests/person.ts", ORIGIN]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Person(process)
        finally:
            process.terminate()
