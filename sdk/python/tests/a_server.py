"""A local HTTP server with canned answers, for failures that the service does not produce."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any


@dataclass
class Planned:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    after_s: float = 0
    hangs_up: bool = False


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class AServer:
    url: str
    plan: list[Planned]
    seen: list[Seen]


def problem(status: int, code: str, **headers: str) -> Planned:
    body = {"type": f"/problems/{code}", "title": code, "status": status, "detail": code, "code": code, "request_id": "r"}
    return Planned(status, json.dumps(body).encode(), {"Content-Type": "application/problem+json", **headers})


def answer(**members: Any) -> Planned:
    return Planned(200, json.dumps(members).encode(), {"Content-Type": "application/json"})


@contextmanager
def a_server(*plan: Planned) -> Iterator[AServer]:
    served = AServer("", list(plan), [])

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            served.seen.append(Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            planned = served.plan.pop(0)
            sleep(planned.after_s)
            if planned.hangs_up:
                self.close_connection = True
                return
            try:
                self.send_response(planned.status)
                for name, value in planned.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(planned.body)))
                self.end_headers()
                self.wfile.write(planned.body)
            except OSError:  # the caller has disconnected
                self.close_connection = True

        do_GET = do_POST = do_PATCH = do_DELETE = _serve

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
