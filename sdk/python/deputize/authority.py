"""`with_authority`: authorize before acting, and report the outcome, including failures."""

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from types import TracebackType
from typing import Any, Final, ParamSpec, TypeVar, overload

import anyio

from deputize._generated import Approval, Decision, ParentRecordUnknownError
from deputize.canonical import result_hash
from deputize.clients import AsyncDeputy, Deputy
from deputize.credentials import Credential, claims_of
from deputize.errors import BadAnswer, DeputyError, Incomplete, NotAuthorized
from deputize.outcome import check_metadata, check_result, check_result_hash
from deputize.running_action import during_action, running_action
from deputize.tracing import OTHER_ERROR, ActionSpan, NoSpan, TracedAction, begin_span, error_type, facts_of
from deputize.usd import rounded_up_usd

P = ParamSpec("P")
R = TypeVar("R")
Resource = str | Callable[..., str]
Cost = float | Callable[..., float]
Metadata = Mapping[str, Any] | Callable[..., Mapping[str, Any]]
_Decided = tuple[Decision, Approval | None]

#: The longest wait of one `get_approval` call.
APPROVAL_POLL_S: Final = 25

#: How long a cancelled task waits for an authorization that is under way, to cancel what it allows.
_LATE_ANSWER_S: Final = 2

# TypeError and ValueError: metadata without a JSON form. By then the work is done, as after a refusal.
_REPORT_FAILURES: Final = (DeputyError, TypeError, ValueError)


class _Cost:
    """Checks the cost when it is set: when the action ends, a mistake would lose the record of finished work."""

    def __get__(self, action: "Action | None", owner: type) -> float | None:
        return None if action is None else action.__dict__.get("spend_usd")

    def __set__(self, action: "Action", amount: float | None) -> None:
        action.__dict__["spend_usd"] = None if amount is None else rounded_up_usd(amount)


_CHECKS: Final[Mapping[str, Callable[[object], None]]] = {
    "result": check_result,
    "result_hash": check_result_hash,
    "metadata": check_metadata,
}


@dataclass
class Action:
    """An authorized action in progress. Its fields are reported when it ends, and checked when they are set."""

    aar_id: str
    decision: Decision
    result: str | None = None
    result_hash: str | None = None
    #: Rounded up to a millionth of a dollar. Raises ValueError if it is negative or not finite.
    spend_usd: _Cost = _Cost()
    metadata: Mapping[str, Any] | None = None
    #: Ended with the action.
    span: ActionSpan = field(default_factory=NoSpan, repr=False, compare=False)

    def __setattr__(self, name: str, value: object) -> None:
        """Raises for a mistake where it is made: a misspelled `result` would otherwise report a success."""
        if name not in self.__dataclass_fields__:
            raise AttributeError(f"an action has no {name}. It reports result, result_hash, spend_usd and metadata")
        if name in _CHECKS and value is not None:
            _CHECKS[name](value)
        super().__setattr__(name, value)

    def hash(self, value: Any) -> None:
        """Reports the hash of the action's result. The value itself is never sent."""
        self.result_hash = result_hash(value)

    def outcome_of(self, error: BaseException | None) -> str:
        """Returns `result` if set. After an exception: `error`, or `cancelled` if only a BaseException."""
        if error is None:
            return self.result or "success"
        return "error" if isinstance(error, Exception) else "cancelled"

    @contextmanager
    def active(self) -> Iterator[None]:
        """Runs the work. Actions and spans that begin inside name this one as their cause."""
        with self.span.active(), self.as_parent():
            yield

    def as_parent(self) -> AbstractContextManager[None]:
        """Makes this action the parent of actions that begin inside."""
        return during_action(self.aar_id, self.decision.get("provenance_ref", ""))

    def end_span(self, error: BaseException | None) -> None:
        """Ends the span. A `result` of `error` marks it as failed even if nothing was raised."""
        said = OTHER_ERROR if self.result == "error" else None
        self.span.end(said if error is None else error_type(error))


def authorized(
    decision: Decision, action: str, resource: str, span: ActionSpan, approval: Approval | None = None
) -> Action:
    """Returns the action that a decision allows. Raises NotAuthorized unless `authorized` is exactly true.

    `approval` is the approval that the action waited for, if it was not given.
    """
    span.add_facts(facts_of(decision))
    if decision.get("authorized") is not True:
        denied = NotAuthorized(decision, action, resource, approval)
        span.add_facts({"reasons": denied.reasons})
        raise denied
    aar_id = decision.get("aar_id")
    if not isinstance(aar_id, str):
        raise BadAnswer("the service authorized the action but returned no aar_id")
    return Action(aar_id, decision, span=span)


@dataclass(frozen=True)
class Wanted:
    vat_jti: str
    action: str
    resource: Resource
    spend_usd: Cost | None
    parent_aar_id: str | None
    approval_id: str | None
    metadata: Metadata | None
    tool: str | None = None
    tool_call_id: str | None = None
    wait_for_approval: bool | float = False

    def arguments(
        self, credential: Credential | None, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        def value_of(given: Any) -> Any:
            return given(*args, **(kwargs or {})) if callable(given) else given

        return {
            "vat_jti": self.vat_jti,
            "action": self.action,
            "resource": value_of(self.resource),
            "spend_usd": _estimate(value_of(self.spend_usd)),
            "parent_aar_id": self.parent_aar_id or self._action_around(credential),
            "approval_id": self.approval_id,
            "metadata": _checked_metadata(value_of(self.metadata)),
        }

    def _action_around(self, credential: Credential | None) -> str | None:
        """Returns the surrounding action, unless it is known to be of another workflow and so can't be the parent."""
        around = running_action()
        if around is None:
            return None
        workflow = claims_of(credential, self.vat_jti).get("svc_provenance_ref", around.provenance_ref)
        return around.aar_id if workflow == around.provenance_ref else None

    def drops_parent(self, arguments: dict[str, Any]) -> bool:
        """Drops a parent that was only implied and that the service doesn't know. Returns whether to ask again."""
        is_implied = self.parent_aar_id is None and arguments["parent_aar_id"] is not None
        if is_implied:
            arguments["parent_aar_id"] = None
        return is_implied

    def span(self, deputy: Deputy | AsyncDeputy, resource: str, spend_usd: float | None) -> ActionSpan:
        agent_id = claims_of(deputy.credential, self.vat_jti).get("sub")
        traced = TracedAction(
            self.tool or self.action, self.action, resource, self.vat_jti, agent_id, self.tool_call_id
        )
        span = begin_span(deputy.tracing, traced)
        span.add_facts({"spend_usd": spend_usd})
        return span


def _estimate(spend_usd: float | None) -> float | None:
    return None if spend_usd is None else rounded_up_usd(spend_usd)


def _checked_metadata(metadata: object) -> Mapping[str, Any] | None:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a dictionary, not {metadata!r}")
    return metadata


def _outcome(action: Action, error: BaseException | None) -> dict[str, Any]:
    return {
        "result": action.outcome_of(error),
        "result_hash": action.result_hash if error is None else None,
        "spend_usd": action.spend_usd,
        "metadata": action.metadata,
    }


class _ApprovalWait:
    """How long to wait for a person to decide. Does no I/O."""

    def __init__(self, limit: bool | float) -> None:
        self._ends_at_s = math.inf if limit is True else time.monotonic() + limit

    def poll_s(self) -> int:
        """Returns how long the next call may wait."""
        return max(0, math.ceil(min(APPROVAL_POLL_S, self._ends_at_s - time.monotonic())))

    def is_over(self, approval: Approval) -> bool:
        return approval["state"] != "pending" or time.monotonic() >= self._ends_at_s


def _awaited_approval(decision: Decision, wanted: Wanted) -> str | None:
    """Returns the approval that the action waits for, if any."""
    is_waiting = decision.get("authorized") is not True and bool(wanted.wait_for_approval)
    return decision.get("approval_id") if is_waiting else None


_RUNS_LATER: Final = (
    "a generator has not run when it is returned, so its outcome would be reported too early. "
    "Use `with with_authority(...)` inside it"
)


def check_runs_at_once(function: Callable[..., Any]) -> None:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(_RUNS_LATER)


def finished(value: R) -> R:
    """Returns the value. Raises TypeError if it is work that has not run yet."""
    if inspect.isgenerator(value) or inspect.isasyncgen(value):
        raise TypeError(_RUNS_LATER)
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(
            "the function returned something to await, so its outcome would be reported too early. Decorate an async "
            "function, with an AsyncDeputy, and await everything inside it"
        )
    return value


class Authority:
    """A context manager and a decorator for sync functions. Created by `with_authority`."""

    def __init__(self, deputy: Deputy, wanted: Wanted) -> None:
        self._deputy = deputy
        self._wanted = wanted
        self._open: Action | None = None
        self._inside = ExitStack()

    def __enter__(self) -> Action:
        if self._open is not None:
            raise RuntimeError("this with_authority is already in use; create one per action")
        self._open = begin(self._deputy, self._wanted)
        self._inside.enter_context(self._open.active())
        return self._open

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        action, self._open = self._open, None
        self._inside.close()
        if action is not None:
            end(self._deputy, action, error)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Runs the function only if authorized. Its return value is hashed if it has a canonical JSON form."""
        check_runs_at_once(function)
        if inspect.iscoroutinefunction(function):
            raise TypeError("an async function needs an AsyncDeputy, not a Deputy")

        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            action = begin(self._deputy, self._wanted, args, kwargs)
            try:
                with action.active():
                    value = finished(function(*args, **kwargs))
            except BaseException as error:
                end(self._deputy, action, error)
                raise
            hash_if_possible(action, value)
            end(self._deputy, action, None, value)
            return value

        return guarded


class AsyncAuthority:
    """Like `Authority`, for `async with` and async functions."""

    def __init__(self, deputy: AsyncDeputy, wanted: Wanted) -> None:
        self._deputy = deputy
        self._wanted = wanted
        self._open: Action | None = None
        self._inside = ExitStack()

    async def __aenter__(self) -> Action:
        if self._open is not None:
            raise RuntimeError("this with_authority is already in use; create one per action")
        self._open = await begin_async(self._deputy, self._wanted)
        self._inside.enter_context(self._open.active())
        return self._open

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        action, self._open = self._open, None
        self._inside.close()
        if action is not None:
            await end_async(self._deputy, action, error)

    def __call__(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Coroutine[Any, Any, R]]:
        check_runs_at_once(function)
        if not inspect.iscoroutinefunction(function):
            raise TypeError("a sync function needs a Deputy, not an AsyncDeputy")

        @wraps(function)
        async def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            action = await begin_async(self._deputy, self._wanted, args, kwargs)
            try:
                with action.active():
                    value: R = finished(await function(*args, **kwargs))
            except BaseException as error:
                await end_async(self._deputy, action, error)
                raise
            hash_if_possible(action, value)
            await end_async(self._deputy, action, None, value)
            return value

        return guarded


@overload
def with_authority(
    deputy: Deputy,
    *,
    vat_jti: str,
    action: str,
    resource: Resource,
    spend_usd: Cost | None = None,
    parent_aar_id: str | None = None,
    approval_id: str | None = None,
    metadata: Metadata | None = None,
    tool: str | None = None,
    tool_call_id: str | None = None,
    wait_for_approval: bool | float = False,
) -> Authority: ...
@overload
def with_authority(
    deputy: AsyncDeputy,
    *,
    vat_jti: str,
    action: str,
    resource: Resource,
    spend_usd: Cost | None = None,
    parent_aar_id: str | None = None,
    approval_id: str | None = None,
    metadata: Metadata | None = None,
    tool: str | None = None,
    tool_call_id: str | None = None,
    wait_for_approval: bool | float = False,
) -> AsyncAuthority: ...
def with_authority(
    deputy: Deputy | AsyncDeputy,
    *,
    vat_jti: str,
    action: str,
    resource: Resource,
    spend_usd: Cost | None = None,
    parent_aar_id: str | None = None,
    approval_id: str | None = None,
    metadata: Metadata | None = None,
    tool: str | None = None,
    tool_call_id: str | None = None,
    wait_for_approval: bool | float = False,
) -> Authority | AsyncAuthority:
    """Authorizes an action, runs it, and reports its outcome. Use it with `with`, `async with` or as a decorator.

    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> token = deputy.issue_l1(
    ...     developer_email="dev@example.com", agent_id="bot", resources=["calendar:events"], actions=["read"]
    ... )
    >>> @with_authority(deputy, vat_jti=token["jti"], action="read", resource="calendar:events")
    ... def read_events() -> list[str]:
    ...     return ["stand-up"]
    >>> read_events()
    ['stand-up']
    >>> try:
    ...     with with_authority(deputy, vat_jti=token["jti"], action="delete", resource="calendar:events"):
    ...         print("never reached")
    ... except NotAuthorized as error:
    ...     print(error.reasons)
    ['action_not_in_scope']

    Nothing runs if the token doesn't allow the action (NotAuthorized) or the service can't be reached (Unreachable).
    An exception inside is reported as `error` and re-raised. If the outcome can't be reported, Incomplete is raised
    after the work is done. As a decorator, `resource`, `spend_usd` and `metadata` may be functions of the arguments. An
    approval covers the metadata, so include what a person should see and agree to. `tool` and `tool_call_id` appear in
    traces: the name of the tool, and the id that the model gave to this call. With `wait_for_approval`, an action that
    needs an approval waits until a person has decided: True until the request expires, or a number of seconds.
    `parent_aar_id` is the action that caused this one. By default it is the surrounding action, if both belong to the
    same workflow.
    """
    if not isinstance(deputy, (Deputy, AsyncDeputy)):
        raise TypeError(f"deputy must be a Deputy or an AsyncDeputy, not {deputy!r}")
    if not isinstance(vat_jti, str) or "." in vat_jti:
        raise TypeError("vat_jti must be the id of a token, such as token[\"jti\"]. IDs start with vat_")
    if not isinstance(action, str):
        raise TypeError(f"action must be a string such as \"read\", not {action!r}")
    if not isinstance(resource, str) and not callable(resource):
        raise TypeError(f"resource must be a string such as \"calendar:events\", or a function, not {resource!r}")
    # A string such as "no" would otherwise wait until the request expires.
    if not isinstance(wait_for_approval, (bool, int, float)) or not wait_for_approval >= 0:
        raise TypeError(f"wait_for_approval must be True, False or a number of seconds, not {wait_for_approval!r}")
    wanted = Wanted(
        vat_jti,
        action,
        resource,
        spend_usd if callable(spend_usd) else _estimate(spend_usd),
        parent_aar_id,
        approval_id,
        metadata if callable(metadata) else _checked_metadata(metadata),
        tool,
        tool_call_id,
        wait_for_approval,
    )
    if isinstance(deputy, AsyncDeputy):
        return AsyncAuthority(deputy, wanted)
    return Authority(deputy, wanted)


def begin(
    deputy: Deputy, wanted: Wanted, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
) -> Action:
    arguments = wanted.arguments(deputy.credential, args, kwargs)
    span = wanted.span(deputy, arguments["resource"], arguments["spend_usd"])
    try:
        with span.active():
            decision, approval = _decided(deputy.in_trace(span.headers()), wanted, arguments, span)
        return authorized(decision, wanted.action, arguments["resource"], span, approval)
    except BaseException as error:
        span.end(error_type(error))
        raise


def _decided(deputy: Deputy, wanted: Wanted, arguments: dict[str, Any], span: ActionSpan) -> _Decided:
    """Returns the decision, or the one after the awaited approval, and the approval if it was not given."""
    decision = _authorize(deputy, wanted, arguments)
    approval_id = _awaited_approval(decision, wanted)
    if approval_id is None:
        return decision, None
    span.add_facts({"approval_id": approval_id})
    waiting = _ApprovalWait(wanted.wait_for_approval)
    while not waiting.is_over(approval := deputy.get_approval(approval_id, wait=waiting.poll_s())):
        pass
    if approval["state"] != "approved":
        return decision, approval
    return deputy.authorize(**{**arguments, "approval_id": approval_id}), None


def _authorize(deputy: Deputy, wanted: Wanted, arguments: dict[str, Any]) -> Decision:
    try:
        return deputy.authorize(**arguments)
    except ParentRecordUnknownError:
        if not wanted.drops_parent(arguments):
            raise
        return deputy.authorize(**arguments)


def end(deputy: Deputy, action: Action, error: BaseException | None, value: Any = None) -> None:
    """Reports the outcome of work that returned `value`. The work's exception is never replaced by the report's."""
    action.span.add_facts({"spend_usd": action.spend_usd})
    try:
        with action.span.active():
            deputy.in_trace(action.span.headers()).complete_record(action.aar_id, **_outcome(action, error))
    except _REPORT_FAILURES as failure:
        if error is None:
            error = Incomplete(action.aar_id, value, failure)
            raise error from failure
    finally:
        action.end_span(error)


async def begin_async(
    deputy: AsyncDeputy, wanted: Wanted, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
) -> Action:
    arguments = wanted.arguments(deputy.credential, args, kwargs)
    span = wanted.span(deputy, arguments["resource"], arguments["spend_usd"])
    try:
        with span.active():
            decision, approval = await _decided_async(deputy.in_trace(span.headers()), wanted, arguments, span)
        return authorized(decision, wanted.action, arguments["resource"], span, approval)
    except BaseException as error:
        span.end(error_type(error))
        raise


async def _decided_async(deputy: AsyncDeputy, wanted: Wanted, arguments: dict[str, Any], span: ActionSpan) -> _Decided:
    """Like `_decided`."""
    decision = await _authorize_async(deputy, wanted, arguments)
    approval_id = _awaited_approval(decision, wanted)
    if approval_id is None:
        return decision, None
    span.add_facts({"approval_id": approval_id})
    waiting = _ApprovalWait(wanted.wait_for_approval)
    while not waiting.is_over(approval := await deputy.get_approval(approval_id, wait=waiting.poll_s())):
        pass
    if approval["state"] != "approved":
        return decision, approval
    return await _authorize_uncancelled(deputy, {**arguments, "approval_id": approval_id}), None


async def _authorize_async(deputy: AsyncDeputy, wanted: Wanted, arguments: dict[str, Any]) -> Decision:
    try:
        return await _authorize_uncancelled(deputy, arguments)
    except ParentRecordUnknownError:
        if not wanted.drops_parent(arguments):
            raise
        return await _authorize_uncancelled(deputy, arguments)


async def _authorize_uncancelled(deputy: AsyncDeputy, arguments: dict[str, Any]) -> Decision:
    """Authorizes. If the task is cancelled meanwhile, an action that is allowed after that is cancelled too.

    Otherwise its record would stay pending until it expires, and keep its part of the budget.
    """
    asking = asyncio.ensure_future(deputy.authorize(**arguments))
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        # The record expires if it can't be cancelled.
        with anyio.move_on_after(_LATE_ANSWER_S, shield=True), suppress(DeputyError):
            aar_id = (await asking).get("aar_id")
            if aar_id is not None:
                await deputy.cancel_record(aar_id)
        raise


async def end_async(
    deputy: AsyncDeputy, action: Action, error: BaseException | None, value: Any = None
) -> None:
    """Like `end`. The outcome is reported even while the task is being cancelled."""
    action.span.add_facts({"spend_usd": action.spend_usd})
    try:
        with anyio.CancelScope(shield=True), action.span.active():
            await deputy.in_trace(action.span.headers()).complete_record(action.aar_id, **_outcome(action, error))
    except _REPORT_FAILURES as failure:
        if error is None:
            error = Incomplete(action.aar_id, value, failure)
            raise error from failure
    finally:
        action.end_span(error)


def hash_if_possible(action: Action, value: Any) -> None:
    """Hashes `value` unless the action already has a hash. Values without a canonical JSON form are not hashed."""
    if action.result_hash is not None or value is None:
        return
    try:
        action.hash(value)
    except Exception:
        return  # the work is done, and its record matters more than its hash


__all__ = ["Action", "AsyncAuthority", "Authority", "with_authority"]
