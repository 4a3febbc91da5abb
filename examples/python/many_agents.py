"""An agent delegates part of its authority, and both agents act at the same time."""

import asyncio
import os

from deputize import AsyncActingAgent, AsyncDeputy


async def main() -> None:
    async with AsyncDeputy(os.environ.get("DEPUTY_URL", "http://127.0.0.1:8420")) as deputy:
        root = await deputy.issue_l1(
            developer_email="dev@example.com",
            agent_id="planner",
            resources=["calendar:*"],
            actions=["read", "delegate"],
        )
        planner = AsyncActingAgent(deputy, root)
        reader = await planner.delegate("reader", resources=["calendar:events"], actions=["read"])

        @planner.act("read", lambda name: f"calendar:{name}")
        async def plan(name: str) -> str:
            return f"planned {name}"

        @reader.act("read", "calendar:events")
        async def read() -> list[str]:
            return ["stand-up"]

        print(await asyncio.gather(plan("week"), read()))
        print(len([record async for record in deputy.iter_workflow_records(root["provenance_ref"])]))


asyncio.run(main())
