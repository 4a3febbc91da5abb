"""A calendar API for agents, with Flask. Each route runs only if the caller's token allows it."""

import os

from flask import Flask, Request

from deputize import Deputy
from deputize.flask import authority, current_action, protect

PORT = int(os.environ.get("PORT", "8000"))

app = Flask(__name__)
protect(app, Deputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420")), public_url=f"http://127.0.0.1:{PORT}")


def calendar_of(request: Request) -> str:
    return f"calendar:{(request.view_args or {})['name']}"


@app.get("/calendars/<name>")
@authority("read", calendar_of)
def read(name: str) -> dict[str, list[str]]:
    return {name: ["stand-up"]}


@app.get("/who")
@authority("read", "calendar:events")
def who() -> str:
    return str(current_action().claims["sub"])


if __name__ == "__main__":
    app.run(port=PORT)
