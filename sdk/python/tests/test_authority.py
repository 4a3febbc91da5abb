import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deputize import (
    AsyncDeputy,
    BearerToken,
    Deputy,
    Incomplete,
    NotAuthorized,
    Unreachable,
    result_hash,
    with_authority,
)
from deputize.canonical import canonical_json
from deputize.api import IssuedToken, ParentRecordUnknownError, RecordClosedError, TokenUnknownError
from tests.a_server import Planned, a_server
from tests.builders import a_token, an_agent
from tests.program import PATIENCE_S, Program, free_port

pytestmark = pytest.mark.anyio


def records_of(deputy: Deputy, provenance_ref: str) -> list[Any]:
    return list(deputy.iter_workflow_records(provenance_ref))


@pytest.fixture
def wanted(deputy: Deputy) -> Iterator[dict[str, Any]]:
    issued = a_token(deputy, constraints={"max_spend_usd": 5})
    yield {"vat_jti": issued["jti"], "action": "read", "resource": "calendar:events"}


def test_a_block_is_authorized_hashed_and_completed(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with with_authority(deputy, **wanted, spend_usd=1) as action:
        assert deputy.get_record(action.aar_id)["state"] == "pending"
        action.hash({"b": 1, "a": [1.0, "é"]})
        action.spend_usd = 0.25
    record = deputy.get_record(action.aar_id)
    assert (record["state"], record.get("result"), record["spend_usd"]) == ("completed", "success", 0.25)
    assert record.get("result_hash") == result_hash('{"a":[1,"é"],"b":1}'.encode())


def test_a_denied_action_raises_and_runs_nothing(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(NotAuthorized) as denied, with_authority(deputy, **{**wanted, "action": "erase"}):
        pytest.fail("ran")
    assert denied.value.reasons == ["action_not_in_scope"]
    assert str(denied.value) == (
        "erase on calendar:events is not allowed: action_not_in_scope. "
        "The token does not allow this action. Ask the person who granted it for a token that does."
    )
    assert (denied.value.action, denied.value.resource, denied.value.details) == ("erase", "calendar:events", [])
    assert denied.value.decision["denial_id"] == denied.value.denial_id
    assert deputy.get_denial(denied.value.denial_id or "")["reasons"] == ["action_not_in_scope"]


def test_a_denial_says_which_argument_is_not_allowed(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"arguments": {"read": {"/amount": {"max": 5}}}})
    named: dict[str, Any] = {"vat_jti": issued["jti"], "action": "read", "resource": "calendar:7", "metadata": {"amount": 9}}
    with pytest.raises(NotAuthorized) as denied, with_authority(deputy, **named):
        pytest.fail("ran")
    [detail] = denied.value.details
    assert detail == {"reason": "argument_not_allowed", "path": "/amount", "rule": "max"}
    said = "read on calendar:7 is not allowed: argument_not_allowed (path: /amount, rule: max). The token does not"
    assert str(denied.value).startswith(said)


async def test_something_to_await_is_no_work_that_is_done(
    deputy: Deputy, wanted: dict[str, Any], open_program: Program
) -> None:
    async def work() -> str:
        pytest.fail("ran")

    async def start() -> Any:
        return work()

    def forgotten() -> Any:
        return work()

    with pytest.raises(TypeError, match="returned something to await"):
        with_authority(deputy, **wanted)(forgotten)()
    async with AsyncDeputy(open_program.url) as client:
        with pytest.raises(TypeError, match="returned something to await"):
            await with_authority(client, **wanted)(start)()
    records = deputy.list_records(provenance_ref=deputy.get_token(wanted["vat_jti"])["provenance_ref"])["data"]
    assert [each.get("result") for each in records] == ["error", "error"]


def test_a_generator_is_no_work_that_is_done(deputy: Deputy, wanted: dict[str, Any]) -> None:
    def lines() -> Iterator[str]:
        yield "stand-up"

    async def async_lines() -> AsyncIterator[str]:
        yield "stand-up"

    authority = with_authority(deputy, **wanted)
    for function in (lines, async_lines):
        with pytest.raises(TypeError, match="inside it"):
            authority(function)
        with pytest.raises(TypeError, match="inside it"):
            with_authority(AsyncDeputy(deputy.url), **wanted)(function)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="inside it"):
        authority(lambda: lines())()
    workflow = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
    assert [record["result"] for record in records_of(deputy, workflow)] == ["error"]


def pending_approval(deputy: Deputy, issued: IssuedToken, action: str = "read") -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        page = deputy.list_approvals(provenance_ref=issued["provenance_ref"], state="pending")
        for approval in page["data"]:
            if approval["action"] == action:
                return approval["approval_id"]
        time.sleep(0.02)
    raise AssertionError("no approval was requested")


class TestApproval:
    @pytest.fixture
    def issued(self, deputy: Deputy) -> IssuedToken:
        return a_token(deputy, constraints={"require_approval": {}})

    @staticmethod
    def read(issued: IssuedToken, wait_for_approval: bool | float) -> dict[str, Any]:
        return {
            "vat_jti": issued["jti"],
            "action": "read",
            "resource": "calendar:events",
            "wait_for_approval": wait_for_approval,
        }

    def test_work_waits_until_a_person_has_approved(self, deputy: Deputy, issued: IssuedToken) -> None:
        work = with_authority(deputy, **self.read(issued, True))(lambda: "booked")
        with ThreadPoolExecutor() as pool:
            done = pool.submit(work)
            deputy.approve(pending_approval(deputy, issued))
            assert done.result(PATIENCE_S) == "booked"
        assert [record["result"] for record in records_of(deputy, issued["provenance_ref"])] == ["success"]

    def test_nothing_runs_if_the_approval_is_denied_late_or_not_waited_for(
        self, deputy: Deputy, issued: IssuedToken
    ) -> None:
        for wait_for_approval, state, way_on in ((False, None, "wait_for_approval"), (0.2, "pending", "still pending")):
            with pytest.raises(NotAuthorized) as asked, with_authority(deputy, **self.read(issued, wait_for_approval)):
                pytest.fail("ran")
            assert asked.value.approval_id is not None
            assert (asked.value.approval_state, asked.value.reasons) == (state, ["approval_required"])
            assert way_on in str(asked.value)
        # A different action than before: otherwise the request that is already open could be denied before this one
        # asks.
        writing = {**self.read(issued, PATIENCE_S), "action": "write"}
        work = with_authority(deputy, **writing)(lambda: pytest.fail("ran"))
        with ThreadPoolExecutor() as pool:
            refused = pool.submit(work)
            deputy.deny(pending_approval(deputy, issued, "write"), note="Not on Mondays")
            with pytest.raises(NotAuthorized) as denied:
                refused.result(PATIENCE_S)
        assert (denied.value.approval_state, denied.value.note) == ("denied", "Not on Mondays")
        assert (denied.value.reasons, denied.value.reason) == (["approval_denied"], "approval_denied")

    async def test_the_async_client_waits_too(
        self, open_program: Program, deputy: Deputy, issued: IssuedToken
    ) -> None:
        async with AsyncDeputy(open_program.url) as client:

            @with_authority(client, **self.read(issued, True))
            async def work() -> str:
                return "booked"

            task = asyncio.ensure_future(work())
            approval_id = await asyncio.to_thread(pending_approval, deputy, issued)
            await client.approve(approval_id)
            assert await task == "booked"


def test_an_agent_for_whom_nobody_vouches_is_denied_where_its_token_asks_for_it(deputy: Deputy) -> None:
    issued = a_token(deputy, agent_id="new-bot", constraints={"min_vouch_score": 0.5})
    with (
        pytest.raises(NotAuthorized) as denied,
        with_authority(deputy, vat_jti=issued["jti"], action="read", resource="calendar:events"),
    ):
        pytest.fail("ran")
    assert denied.value.reasons == ["vouch_score_too_low"]


def test_an_invalid_token_id_is_rejected_before_any_call(deputy: Deputy, wanted: dict[str, Any]) -> None:
    for wrong in (None, {"jti": wanted["vat_jti"]}, "a.b.c"):
        with pytest.raises(TypeError, match="vat_jti must be the id of a token"):
            with_authority(deputy, **{**wanted, "vat_jti": wrong})


def test_an_exception_is_reported_as_error_and_propagates(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(ZeroDivisionError), with_authority(deputy, **wanted) as action:
        action.hash("half done")
        raise ZeroDivisionError
    record = deputy.get_record(action.aar_id)
    assert (record["state"], record.get("result"), record.get("result_hash")) == ("completed", "error", None)


def test_an_interrupt_is_reported_as_cancelled(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(KeyboardInterrupt), with_authority(deputy, **wanted) as action:
        raise KeyboardInterrupt
    assert deputy.get_record(action.aar_id).get("result") == "cancelled"


def test_the_outcome_can_be_set(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with with_authority(deputy, **wanted) as action:
        action.result = "partial"
        action.metadata = {"left": 3}
    assert deputy.get_record(action.aar_id).get("result") == "partial"


def test_a_cost_that_floats_add_up_to_is_recorded_in_full(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with with_authority(deputy, **wanted, spend_usd=0.1 + 0.2) as action:
        action.spend_usd = 0.1 + 0.2
    record = deputy.get_record(action.aar_id)
    assert (record["state"], record["spend_usd"], record.get("exceeded")) == ("completed", 0.3, None)


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1])
def test_an_impossible_cost_raises_where_it_is_set(deputy: Deputy, wanted: dict[str, Any], cost: float) -> None:
    with pytest.raises(ValueError, match="spend_usd"):
        with_authority(deputy, **wanted, spend_usd=cost)
    with with_authority(deputy, **wanted) as action:
        with pytest.raises(ValueError, match="spend_usd"):
            action.spend_usd = cost
    assert deputy.get_record(action.aar_id).get("result") == "success"


def test_the_resource_of_a_decorated_function_may_depend_on_its_arguments(deputy: Deputy, wanted: dict[str, Any]) -> None:
    ran = []

    @with_authority(deputy, **{**wanted, "resource": lambda name: f"calendar:{name}"})
    def read(name: str) -> dict[str, str]:
        """Reads."""
        ran.append(name)
        return {"name": name}

    assert read("7") == {"name": "7"}
    with pytest.raises(NotAuthorized) as denied:
        read("8")
    assert (ran, denied.value.reasons, read.__doc__) == (["7"], ["resource_not_in_scope"], "Reads.")
    provenance_ref = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
    [record] = records_of(deputy, provenance_ref)
    assert record["result_hash"] == result_hash({"name": "7"})


def test_a_function_that_raises_is_reported_as_error(deputy: Deputy, wanted: dict[str, Any]) -> None:
    @with_authority(deputy, **wanted)
    def fail() -> None:
        raise LookupError("nothing")

    with pytest.raises(LookupError):
        fail()
    provenance_ref = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
    assert [record["result"] for record in records_of(deputy, provenance_ref)] == ["error"]


class Unloaded(dict[str, Any]):
    def __iter__(self) -> Any:
        raise LookupError("not loaded")


@pytest.mark.parametrize("odd", [object(), Unloaded(events=[])])
def test_a_value_that_cannot_be_hashed_is_still_returned(deputy: Deputy, wanted: dict[str, Any], odd: Any) -> None:
    provenance_ref = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
    assert with_authority(deputy, **wanted)(lambda: odd)() is odd
    [record] = records_of(deputy, provenance_ref)
    assert (record["result"], record.get("result_hash")) == ("success", None)


def test_an_action_whose_token_is_revoked_meanwhile_is_still_recorded(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with with_authority(deputy, **wanted) as action:
        deputy.revoke_token(vat_jti=wanted["vat_jti"])
    record = deputy.get_record(action.aar_id)
    assert (record["state"], record.get("completed_after_revocation")) == ("completed", True)
    with pytest.raises(NotAuthorized), with_authority(deputy, **wanted):
        pytest.fail("ran")


def test_an_outcome_that_cannot_be_reported_raises_incomplete(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(Incomplete) as failed, with_authority(deputy, **wanted) as action:
        deputy.cancel_record(action.aar_id)
    assert failed.value.aar_id == action.aar_id
    assert isinstance(failed.value.__cause__, RecordClosedError)
    assert action.aar_id in str(failed.value) and str(failed.value.__cause__) in str(failed.value)


def test_the_value_of_work_whose_outcome_cannot_be_reported_is_kept(deputy: Deputy, wanted: dict[str, Any]) -> None:
    @with_authority(deputy, **wanted)
    def work() -> str:
        provenance_ref = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
        deputy.cancel_record(records_of(deputy, provenance_ref)[0]["aar_id"])
        return "done"

    with pytest.raises(Incomplete) as failed:
        work()
    assert failed.value.value == "done"


def test_metadata_that_has_no_json_form_is_refused_where_it_is_set(deputy: Deputy, wanted: dict[str, Any]) -> None:
    for metadata in ({"at": object()}, {"left": float("nan")}):
        with pytest.raises((TypeError, ValueError), match="^/metadata/"), with_authority(deputy, **wanted) as action:
            action.metadata = metadata
        assert deputy.get_record(action.aar_id)["result"] == "error"


def test_metadata_that_loses_its_json_form_later_raises_incomplete(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(Incomplete) as failed, with_authority(deputy, **wanted) as action:
        metadata: dict[str, Any] = {}
        action.metadata = metadata
        metadata["left"] = float("nan")
    assert isinstance(failed.value.__cause__, ValueError)


def test_a_failed_report_does_not_hide_the_original_exception(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(ZeroDivisionError), with_authority(deputy, **wanted) as action:
        deputy.cancel_record(action.aar_id)
        raise ZeroDivisionError


def test_nothing_runs_while_the_service_is_unreachable(wanted: dict[str, Any]) -> None:
    with Deputy(f"http://127.0.0.1:{free_port()}", max_retries=0) as unreachable:
        with pytest.raises(Unreachable), with_authority(unreachable, **wanted):
            pytest.fail("ran")


def test_nothing_runs_for_an_unknown_token(deputy: Deputy, wanted: dict[str, Any]) -> None:
    with pytest.raises(TokenUnknownError), with_authority(deputy, **{**wanted, "vat_jti": "vat_root_x"}):
        pytest.fail("ran")


def test_one_with_authority_covers_one_action_at_a_time(deputy: Deputy, wanted: dict[str, Any]) -> None:
    used = with_authority(deputy, **wanted)
    with used, pytest.raises(RuntimeError):
        used.__enter__()


def test_sync_and_async_functions_need_matching_clients(deputy: Deputy, wanted: dict[str, Any]) -> None:
    async def later() -> None:
        pytest.fail("ran")

    with pytest.raises(TypeError):
        with_authority(deputy, **wanted)(later)


def test_an_agent_with_a_dpop_key_acts_in_keyed_mode(keyed_program: Program) -> None:
    issued, agent = an_agent(keyed_program)
    with agent, with_authority(agent, vat_jti=issued["jti"], action="read", resource="calendar:7") as action:
        pass
    assert action.decision["authorized"] is True


class TestAsync:
    async def test_a_block_and_a_decorated_function_are_recorded(self, open_program: Program, deputy: Deputy, wanted: dict[str, Any]) -> None:
        async with AsyncDeputy(open_program.url) as client:
            async with with_authority(client, **wanted) as action:
                action.hash("text")
            assert deputy.get_record(action.aar_id).get("result_hash") == result_hash(b'"text"')

            @with_authority(client, **{**wanted, "resource": lambda name: f"calendar:{name}"})
            async def read(name: str) -> list[str]:
                return [name]

            assert await read("7") == ["7"]
            with pytest.raises(NotAuthorized):
                await read("8")
            assert await asyncio.create_task(read("7")) == ["7"]

            @with_authority(client, **wanted)
            async def cancelled() -> str:
                provenance_ref = deputy.get_token(wanted["vat_jti"])["provenance_ref"]
                [pending] = [each for each in records_of(deputy, provenance_ref) if each["state"] == "pending"]
                deputy.cancel_record(pending["aar_id"])
                return "done"

            with pytest.raises(Incomplete) as failed:
                await cancelled()
            assert failed.value.value == "done"
            with pytest.raises(TypeError):
                with_authority(client, **wanted)(lambda: None)  # type: ignore[arg-type, return-value]

    async def test_an_exception_is_reported_as_error(self, open_program: Program, deputy: Deputy, wanted: dict[str, Any]) -> None:
        async with AsyncDeputy(open_program.url) as client:
            with pytest.raises(ZeroDivisionError):
                async with with_authority(client, **wanted) as action:
                    raise ZeroDivisionError
            assert deputy.get_record(action.aar_id).get("result") == "error"

    async def test_a_cancelled_task_is_reported_as_cancelled(
        self, open_program: Program, deputy: Deputy, wanted: dict[str, Any]
    ) -> None:
        begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        async with AsyncDeputy(open_program.url) as client:

            async def work() -> None:
                async with with_authority(client, **wanted) as action:
                    begun.set_result(action.aar_id)
                    await asyncio.sleep(60)

            task = asyncio.create_task(work())
            aar_id = await begun
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert deputy.get_record(aar_id).get("result") == "cancelled"


    async def test_a_task_cancelled_while_it_asks_leaves_no_open_record(
        self, open_program: Program, deputy: Deputy
    ) -> None:
        issued = a_token(deputy, constraints={"max_spend_usd": 1})
        async with AsyncDeputy(open_program.url) as client:

            async def work() -> None:
                async with with_authority(
                    client, vat_jti=issued["jti"], action="read", resource="calendar:events", spend_usd=1
                ):
                    await asyncio.sleep(PATIENCE_S)

            task = asyncio.create_task(work())
            while not records_of(deputy, issued["provenance_ref"]):
                await asyncio.sleep(0)
            task.cancel()  # the action is allowed, but the answer has not been read yet
            with pytest.raises(asyncio.CancelledError):
                await task
        [record] = records_of(deputy, issued["provenance_ref"])
        assert record["state"] == "cancelled"
        assert deputy.get_token_budget(issued["jti"])["remaining_usd"] == 1

    async def test_a_cancelled_task_does_not_wait_long_for_the_service(self) -> None:
        with a_server(Planned(after_s=PATIENCE_S)) as away:
            async with AsyncDeputy(away.url, timeout_s=PATIENCE_S) as client:
                began_s = time.monotonic()
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(self._read(client), 0.2)
                assert time.monotonic() - began_s < PATIENCE_S / 2

    @staticmethod
    async def _read(client: AsyncDeputy) -> None:
        async with with_authority(client, vat_jti="vat_1", action="read", resource="calendar:events"):
            pytest.fail("ran")


def test_cost_and_metadata_of_a_decorated_function_can_depend_on_its_arguments(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"max_spend_usd": 5, "require_approval": {"above_usd": 2}})

    @with_authority(
        deputy,
        vat_jti=issued["jti"],
        action="read",
        resource="calendar:events",
        spend_usd=lambda seats, row: 0.1 * seats + 0.2,
        metadata=lambda seats, row: {"seats": seats, "row": row},
    )
    def book(seats: int, row: str) -> int:
        return seats

    assert book(1, row="A") == 1
    [record] = records_of(deputy, issued["provenance_ref"])
    assert (record["spend_usd"], record["metadata"]) == (0.3, {"seats": 1, "row": "A"})
    with pytest.raises(NotAuthorized) as asked:
        book(20, row="B")
    assert deputy.get_approval(asked.value.approval_id or "").get("metadata") == {"seats": 20, "row": "B"}


def test_functions_that_return_no_cost_or_metadata_leave_no_record(deputy: Deputy) -> None:
    issued = a_token(deputy)
    wrong: list[Any] = [{"spend_usd": lambda: -1}, {"metadata": lambda: "text"}, {"metadata": "text"}]
    for options in wrong:
        with pytest.raises((TypeError, ValueError), match="spend_usd must be|metadata must be a dictionary"):
            with_authority(
                deputy, vat_jti=issued["jti"], action="read", resource="calendar:events", **options
            )(lambda: 1)()
    assert records_of(deputy, issued["provenance_ref"]) == []


@pytest.fixture
def workflow(deputy: Deputy) -> IssuedToken:
    return a_token(deputy)


def reading(token: IssuedToken) -> dict[str, Any]:
    return {"vat_jti": token["jti"], "action": "read", "resource": "calendar:events"}


def parents_of(deputy: Deputy, token: IssuedToken) -> dict[str, str | None]:
    """Returns the parent of each record in the workflow."""
    return {each["aar_id"]: each.get("parent_aar_id") for each in records_of(deputy, token["provenance_ref"])}


def test_an_action_inside_another_names_it_as_its_parent(deputy: Deputy, workflow: IssuedToken) -> None:
    @with_authority(deputy, **reading(workflow))
    def read() -> None:
        return

    with with_authority(deputy, **reading(workflow)) as outer:
        with with_authority(deputy, **reading(workflow)) as inner, with_authority(deputy, **reading(workflow)) as innermost:
            pass
        read()
        with with_authority(deputy, **reading(workflow), parent_aar_id=inner.aar_id) as told:
            pass
    with with_authority(deputy, **reading(workflow)) as after:
        pass
    parents = parents_of(deputy, workflow)
    [decorated] = set(parents) - {each.aar_id for each in (outer, inner, innermost, told, after)}
    assert parents == {
        outer.aar_id: None,
        inner.aar_id: outer.aar_id,
        innermost.aar_id: inner.aar_id,
        decorated: outer.aar_id,
        told.aar_id: inner.aar_id,
        after.aar_id: None,
    }


def test_the_work_of_a_decorated_function_names_it_as_its_parent(deputy: Deputy, workflow: IssuedToken) -> None:
    @with_authority(deputy, **reading(workflow))
    def outer() -> str:
        with with_authority(deputy, **reading(workflow)) as inner:
            return inner.aar_id

    inner_id = outer()
    parents = parents_of(deputy, workflow)
    [outer_id] = set(parents) - {inner_id}
    assert parents == {outer_id: None, inner_id: outer_id}


def test_a_failed_action_is_not_the_parent_of_the_next(deputy: Deputy, workflow: IssuedToken) -> None:
    with pytest.raises(ZeroDivisionError), with_authority(deputy, **reading(workflow)) as failed:
        raise ZeroDivisionError
    with pytest.raises(NotAuthorized), with_authority(deputy, **{**reading(workflow), "action": "erase"}):
        pytest.fail("ran")
    with with_authority(deputy, **reading(workflow)) as after:
        pass
    assert parents_of(deputy, workflow) == {failed.aar_id: None, after.aar_id: None}


def test_an_action_of_another_workflow_is_no_parent(deputy: Deputy, workflow: IssuedToken) -> None:
    other = a_token(deputy)
    known = deputy.acting_as(BearerToken(other["compact_jwt"]))
    with with_authority(deputy, **reading(workflow)):
        for client in (deputy, known):
            with with_authority(client, **reading(other)):
                pass
        with pytest.raises(ParentRecordUnknownError), with_authority(deputy, **reading(other), parent_aar_id="aar_0"):
            pytest.fail("ran")
    assert list(parents_of(deputy, other).values()) == [None, None]


def test_actions_in_generators_that_end_in_any_order_are_no_parents_once_ended(
    deputy: Deputy, workflow: IssuedToken
) -> None:
    def stream() -> Iterator[str]:
        with with_authority(deputy, **reading(workflow)) as action:
            yield action.aar_id

    first, second = stream(), stream()
    first_id, second_id = next(first), next(second)
    assert list(first) == []
    with with_authority(deputy, **reading(workflow)) as between:
        pass
    assert list(second) == []
    with with_authority(deputy, **reading(workflow)) as after:
        pass
    assert parents_of(deputy, workflow) == {
        first_id: None,
        second_id: first_id,
        between.aar_id: second_id,
        after.aar_id: None,
    }


def test_threads_name_no_parent_unless_they_run_in_a_copy_of_the_context(deputy: Deputy, workflow: IssuedToken) -> None:
    def act() -> str:
        with with_authority(deputy, **reading(workflow)) as action:
            return action.aar_id

    with ThreadPoolExecutor(2) as threads, with_authority(deputy, **reading(workflow)) as outer:
        alone = threads.submit(act).result()
        within = threads.submit(contextvars.copy_context().run, act).result()
    assert parents_of(deputy, workflow) == {outer.aar_id: None, alone: None, within: outer.aar_id}


async def test_concurrent_tasks_each_have_their_own_parent(
    deputy: Deputy, open_program: Program, workflow: IssuedToken
) -> None:
    async with AsyncDeputy(open_program.url) as client:

        async def nested() -> tuple[str, str]:
            async with with_authority(client, **reading(workflow)) as outer:
                await asyncio.sleep(0)

                @with_authority(client, **reading(workflow))
                async def inner() -> str:
                    return "done"

                async with with_authority(client, **reading(workflow)) as innermost:
                    pass
                await inner()
            return outer.aar_id, innermost.aar_id

        pairs = await asyncio.gather(*(nested() for _ in range(5)))
        other = a_token(deputy)
        async with with_authority(client, **reading(workflow)), with_authority(client, **reading(other)):
            pass
    parents = parents_of(deputy, workflow)
    for outer, inner in pairs:
        assert (parents[outer], parents[inner]) == (None, outer)
        assert list(parents.values()).count(outer) == 2
    assert list(parents_of(deputy, other).values()) == [None]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"action": None}, 'action must be a string such as "read", not None'),
        ({"resource": None}, 'resource must be a string such as "calendar:events", or a function, not None'),
        ({"wait_for_approval": "yes"}, "wait_for_approval must be True, False or a number of seconds, not 'yes'"),
        ({"wait_for_approval": -1}, "wait_for_approval must be True"),
        ({"deputy": "http://127.0.0.1:9"}, "deputy must be a Deputy or an AsyncDeputy"),
    ],
)
def test_what_has_the_wrong_type_is_rejected_before_any_call(changes: dict[str, Any], said: str) -> None:
    given = {"deputy": Deputy("http://127.0.0.1:9"), "vat_jti": "vat_1", "action": "read", "resource": "a:b"}
    with pytest.raises(TypeError, match=said):
        with_authority(**{**given, **changes})


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("resutl", "error", AttributeError),
        ("result", 5, TypeError),
        ("result_hash", "5", ValueError),
        ("metadata", [1], TypeError),
        ("metadata", {"text": "é" * 2_048}, ValueError),
        ("metadata", {f"m{n}": n for n in range(65)}, ValueError),
        *(("result", text, ValueError) for text in ("", "1", "a  b", "a ", "no: disk", "e" * 65, "e\u0301", "ok\n")),
    ],
)
def test_a_mistake_in_the_outcome_raises_where_it_is_made(
    deputy: Deputy, wanted: dict[str, Any], name: str, value: Any, kind: type[Exception]
) -> None:
    with pytest.raises(kind, match=name), with_authority(deputy, **wanted) as action:
        setattr(action, name, value)
        pytest.fail("went on")
    assert deputy.get_record(action.aar_id).get("result") == "error"


@pytest.mark.parametrize("result", ["partial", "Größe 2 zu klein", "e" * 64, "失败", "a.b_c@d+e/f-1"])
def test_what_the_service_accepts_can_be_set(deputy: Deputy, wanted: dict[str, Any], result: str) -> None:
    metadata = {**{f"m{n}": n for n in range(63)}, "text": ""}
    metadata["text"] = "x" * (4_096 - len(canonical_json(metadata)))
    with with_authority(deputy, **wanted) as action:
        action.result, action.result_hash, action.metadata = result, "sha256:A", metadata
    record = deputy.get_record(action.aar_id)
    assert (record["result"], record["result_hash"], record["metadata"]) == (result, "sha256:a", metadata)
