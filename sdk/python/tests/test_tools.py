"""`governed`: an agent's tools, each call authorized before it runs and recorded after."""

import hashlib
import inspect
import threading
from typing import Any, cast

import pytest

from deputize import ActingAgent, AsyncActingAgent, AsyncDeputy, Deputy, ToolDenied, ToolRule, governed
from deputize.api import IssuedToken
from tests.a_server import answer, a_server, problem
from tests.builders import a_token
from tests.program import free_port
from tests.test_authority import pending_approval

pytestmark = pytest.mark.anyio

READ: ToolRule = {"action": "read", "resource": lambda name, limit=1: f"calendar:{name}"}


def read_events(name: str, limit: int = 1) -> list[str]:
    """Reads the events of a calendar."""
    return ["stand-up"][:limit]


def records_of(deputy: Deputy, issued: IssuedToken) -> list[Any]:
    return list(deputy.list_records(provenance_ref=issued["provenance_ref"])["data"])


def test_a_call_is_authorized_and_its_record_names_the_arguments(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"max_spend_usd": 1})
    [read] = governed(
        [read_events], ActingAgent(deputy, issued), rules={"read_events": {**READ, "spend_usd": lambda name, limit: 0.25}}
    )
    assert (read.__name__, read.__doc__, inspect.signature(read)) == (
        "read_events",
        "Reads the events of a calendar.",
        inspect.signature(read_events),
    )
    assert read("events") == ["stand-up"]
    [record] = records_of(deputy, issued)
    assert (record["action"], record["resource"], record["result"]) == ("read", "calendar:events", "success")
    assert (record["spend_usd"], record["state"]) == (0.25, "completed")
    text = '{"limit":1,"name":"events"}'
    assert deputy.get_record(record["aar_id"]).get("metadata") == {
        "request": {
            "tool": "read_events",
            "arguments": {"name": "events", "limit": 1},
            "arguments_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
    }


def test_a_denied_call_tells_the_model_and_does_not_run(deputy: Deputy) -> None:
    short = {"arguments": {"call": {"/request/arguments/event": {"max_length": 5}}}}
    issued = a_token(deputy, resources=["tool:*"], actions=["call"], constraints=short)
    ran: list[str] = []

    def delete_event(event: str) -> str:
        ran.append(event)
        return "deleted"

    agent = ActingAgent(deputy, issued)
    seen: list[ToolDenied] = []
    [told] = governed([delete_event], agent, rules={"delete_event": {"action": "erase"}}, on_denied=seen.append)
    [denied] = [told("lunch")]
    [error] = seen
    assert denied == str(error) == "\n".join(
        [
            "Not done: delete_event (erase on tool:delete_event) is not allowed.",
            "Reasons: action_not_in_scope.",
            "The token does not allow this action. Ask the person who granted it for a token that does.",
            f"The denial is stored as {error.denial['denial_id']}.",
        ]
    )
    assert (error.denial["code"], error.denial["reasons"]) == ("denied", ["action_not_in_scope"])
    [raised] = governed([delete_event], agent, on_denied="raise")
    with pytest.raises(ToolDenied) as long:
        raised("the whole afternoon")
    assert long.value.denial["reasons"] == ["argument_not_allowed"]
    assert long.value.denial["details"][0]["path"] == "/request/arguments/event"
    assert ran == []
    assert raised("lunch") == "deleted"


def test_what_a_tool_raises_is_recorded_and_raised(deputy: Deputy) -> None:
    issued = a_token(deputy, resources=["tool:*"], actions=["call"])

    def fail() -> None:
        raise KeyError("lost")

    [failing] = governed([fail], ActingAgent(deputy, issued), default={"arguments": "hide"})
    with pytest.raises(KeyError):
        failing()
    with pytest.raises(TypeError, match="too many positional arguments"):
        cast(Any, failing)(1)
    [record] = records_of(deputy, issued)
    assert record["result"] == "error"
    assert "arguments" not in deputy.get_record(record["aar_id"])["metadata"]["request"]


async def test_an_async_tool_waits_for_an_approval_of_its_arguments(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"require_approval": {}})

    async def read_events(name: str, limit: int = 1) -> str:
        return name

    def decide() -> None:
        approval_id = pending_approval(deputy, issued)
        assert deputy.get_approval(approval_id)["metadata"]["request"]["arguments"]["name"] == "events"
        deputy.approve(approval_id)

    person = threading.Thread(target=decide)
    person.start()
    async with AsyncDeputy(deputy.url) as client:
        agent = AsyncActingAgent(client, issued)
        [read] = governed([read_events], agent, rules={"read_events": READ})
        assert await read("events") == "events"
        person.join()
        [refusing] = governed([read_events], agent, rules={"read_events": {**READ, "approval": "refuse"}})
        assert "A person must approve this action first." in await refusing("7")
    [record] = records_of(deputy, issued)
    assert record["result"] == "success"


async def test_arguments_that_change_while_a_person_decides_do_not_run(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"require_approval": {}})
    ran: list[list[str]] = []
    names = ["events"]

    def read_events(names: list[str]) -> str:
        ran.append(names)
        return "done"

    async def read_later(names: list[str]) -> str:
        return read_events(names)

    def decide() -> None:
        approval_id = pending_approval(deputy, issued)
        names.append("salaries")
        deputy.approve(approval_id)

    rule: ToolRule = {"action": "read", "resource": "calendar:events"}
    async with AsyncDeputy(deputy.url) as client:
        [read] = governed([read_events], ActingAgent(deputy, issued), default=rule)
        [later] = governed([read_later], AsyncActingAgent(client, issued), default=rule)
        for call in (read, later):
            person = threading.Thread(target=decide)
            person.start()
            told = call(names)
            assert "the arguments changed while a person decided" in (told if isinstance(told, str) else await told)
            person.join()
    assert (ran, records_of(deputy, issued)) == ([], [])


def test_a_denied_approval_tells_what_the_person_wrote(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"require_approval": {}})
    person = threading.Thread(target=lambda: deputy.deny(pending_approval(deputy, issued), note="Not today"))
    person.start()
    [read] = governed([read_events], ActingAgent(deputy, issued), default=READ, on_denied="raise")
    with pytest.raises(ToolDenied, match="A person denied this action") as denied:
        read("events")
    person.join()
    assert (denied.value.denial["approval_state"], denied.value.denial["note"]) == ("denied", "Not today")


def test_while_the_service_is_away_a_tool_runs_only_if_it_may(deputy: Deputy) -> None:
    issued = a_token(deputy)
    with Deputy(f"http://127.0.0.1:{free_port()}", max_retries=0) as away:
        agent = ActingAgent(away, issued)
        [closed] = governed([read_events], agent)
        [open_] = governed([read_events], agent, on_unavailable="allow")
        assert "The authority service cannot be reached" in str(closed("events"))
        assert open_("events") == ["stand-up"]
    asked = answer(authorized=False, reasons=["approval_required"], approval_id="apr_1", provenance_ref="prov_1")
    with a_server(problem(503, "overloaded"), asked, problem(503, "storage_full")) as server:
        with Deputy(server.url, max_retries=0) as busy:
            [open_] = governed([read_events], ActingAgent(busy, issued["jti"]), on_unavailable="allow")
            for _ in ("overloaded", "the approval can't be read"):
                assert "The authority service cannot be reached" in str(open_("events"))


def test_a_record_that_cannot_be_completed_does_not_lose_the_value(deputy: Deputy) -> None:
    issued = a_token(deputy)
    allowed = answer(authorized=True, aar_id="aar_1", provenance_ref="prov_1")
    incomplete: list[str] = []
    with a_server(allowed, problem(503, "storage_full")) as server, Deputy(server.url, max_retries=0) as failing:
        agent = ActingAgent(failing, issued["jti"])
        [read] = governed([read_events], agent, on_incomplete=lambda error, aar_id: incomplete.append(aar_id))
        assert read("events") == ["stand-up"]
    assert incomplete == ["aar_1"]


def test_arguments_without_a_json_form_and_failing_rules_are_refused(deputy: Deputy) -> None:
    agent = ActingAgent(deputy, a_token(deputy))
    [read] = governed([read_events], agent, default=READ, on_denied="raise")
    with pytest.raises(ToolDenied, match="the arguments have no JSON form") as unbound:
        cast(Any, read)("events", {1, 2})
    assert unbound.value.denial["code"] == "arguments_not_bound"
    [broken] = governed([read_events], agent, default={"resource": lambda name, limit: name[99]}, on_denied="raise")
    with pytest.raises(ToolDenied) as failed:
        broken("events")
    assert failed.value.denial["code"] == "internal_error"


async def a_coroutine() -> None: ...


def a_generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("tools", "options", "message"),
    [
        ([a_coroutine], {}, "a_coroutine is an async function: it needs an AsyncActingAgent"),
        ([a_generator], {}, "a generator has not run"),
        (["read"], {}, "'read' is not a function. Govern the function first"),
        ([read_events], {"rules": {"read": {}}}, "there is a rule for read, but no tool of that name. Tools: read_events"),
        ([read_events], {"default": {"ressource": "a:b"}}, "default has an unknown member ressource"),
        ([read_events], {"default": {"approval": "no"}}, "default: approval must be wait or refuse, not 'no'"),
        ([read_events], {"default": {"spend_usd": "3"}}, "spend_usd must be a number of US dollars, not '3'"),
        ([read_events], {"on_denied": "throw"}, "on_denied must be 'tell', 'raise' or a function, not 'throw'"),
        ([read_events], {"on_unavailable": True}, "on_unavailable must be 'deny' or 'allow', not True"),
    ],
)
def test_mistakes_are_named(deputy: Deputy, tools: Any, options: Any, message: str) -> None:
    with pytest.raises(TypeError) as mistake:
        governed(tools, ActingAgent(deputy, a_token(deputy)), **options)
    assert str(mistake.value).startswith(message)
