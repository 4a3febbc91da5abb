"""A calendar API for agents, with FastAPI. Each route runs only if the caller's token allows it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, Request

from deputize import AsyncDeputy
from deputize.fastapi import Authority, GuardedAction, authority, protect

PORT = int(os.environ.get("PORT", "8000"))
deputy = AsyncDeputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420"))


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with deputy:
        yield


app = FastAPI(lifespan=lifespan)
protect(app, deputy, public_url=f"http://127.0.0.1:{PORT}")


def calendar_of(request: Request) -> str:
    return f"calendar:{request.path_params['name']}"


@app.get("/calendars/{name}")
@authority("read", calendar_of)
async def read(name: str) -> dict[str, list[str]]:
    return {name: ["stand-up"]}


@app.get("/who")
async def who(action: Annotated[GuardedAction, Depends(Authority("read", "calendar:events"))]) -> str:
    return str(action.claims["sub"])


if __name__ == "__main__":
    uvicorn.run(app, port=PORT, log_level="warning")
