"""`governed`: an agent's tools under governance. Each call is authorized before it runs and recorded after."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, Literal, TypedDict, TypeVar, cast

from deputize._generated import Approval
from deputize.acting_agent import ActingAgent, AsyncActingAgent
from deputize.advice import denied_words, refused_words, unavailable_words
from deputize.authority import (
    APPROVAL_POLL_S,
    Action,
    Cost,
    Resource,
    Wanted,
    begin,
    begin_async,
    check_runs_at_once,
    end,
    end_async,
    finished,
    hash_if_possible,
)
from deputize.bound_request import bound_tool_call
from deputize.errors import BadAnswer, Incomplete, NotAuthorized, Refusal, ToolDenied, Unreachable, is_away
from deputize.guard import LOG
from deputize.usd import rounded_up_usd

Tool = TypeVar("Tool", bound=Callable[..., Any])
OnDenied = Literal["tell", "raise"] | Callable[[ToolDenied], None]


class ToolRule(TypedDict, total=False):
    """The action and resource of a tool call, as tokens name them. `{tool}` is replaced by the name of the tool."""

    #: Default: `call`.
    action: str
    #: A text, or a function of the arguments. Default: `tool:{tool}`.
    resource: Resource
    #: The cost of a call in US dollars, or a function of the arguments. Reserved before the call and charged after it.
    spend_usd: Cost | None
    #: Whether a call that needs an approval waits for it or is denied at once. Default: `wait`.
    approval: Literal["wait", "refuse"]
    #: Whether people see the arguments, or only their hash is kept. Default: `show`.
    arguments: Literal["show", "hide"]


_DEFAULT: Final = ToolRule(action="call", resource="tool:{tool}", spend_usd=None, approval="wait", arguments="show")
_CHOICES: Final = {"approval": ("wait", "refuse"), "arguments": ("show", "hide")}


def governed(
    tools: Sequence[Tool],
    agent: ActingAgent | AsyncActingAgent,
    *,
    rules: Mapping[str, ToolRule] | None = None,
    default: ToolRule | None = None,
    on_unavailable: Literal["deny", "allow"] = "deny",
    on_denied: OnDenied = "tell",
    on_incomplete: Callable[[Incomplete, str], None] | None = None,
) -> list[Tool]:
    """Returns the same functions, but each call is authorized first, and its record is completed with the outcome.

    >>> from deputize import Deputy
    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> token = deputy.issue_l1(
    ...     developer_email="dev@example.com", agent_id="bot", resources=["calendar:work"], actions=["read"]
    ... )
    >>> def read_events(calendar: str) -> list[str]:
    ...     return ["stand-up"]
    >>> def delete_event(event: str) -> str:
    ...     return "deleted"
    >>> read, delete = governed(
    ...     [read_events, delete_event],
    ...     ActingAgent(deputy, token),
    ...     rules={
    ...         "read_events": {"action": "read", "resource": lambda calendar: f"calendar:{calendar}"},
    ...         "delete_event": {"action": "delete", "resource": "calendar:work"},
    ...     },
    ... )
    >>> read("work")
    ['stand-up']
    >>> print(delete("lunch").splitlines()[1])
    Reasons: action_not_in_scope.

    `rules` has rules for individual tools, by name, and `default` is the rule for all others. Async functions need an
    `AsyncActingAgent`. A denied call returns a text for the model; with `on_denied="raise"` it raises `ToolDenied`, and
    if `on_denied` is a function, it is called with the `ToolDenied` before the text is returned.
    `on_unavailable="allow"` runs tools without a record while the service can't be reached, but never those that wait
    for an approval. `on_incomplete` is called with the error and the `aar_id` of a record that could not be completed,
    which expires. By default, that is logged.
    """
    if on_unavailable not in ("deny", "allow"):
        raise TypeError(f"on_unavailable must be 'deny' or 'allow', not {on_unavailable!r}")
    if on_denied not in ("tell", "raise") and not callable(on_denied):
        raise TypeError(f"on_denied must be 'tell', 'raise' or a function, not {on_denied!r}")
    if not isinstance(agent, (ActingAgent, AsyncActingAgent)):
        raise TypeError(f"agent must be an ActingAgent or an AsyncActingAgent, not {agent!r}")
    names = [_checked_name(tool) for tool in tools]
    _check_rules(rules or {}, default, names)
    governor = _Governor(agent.jti, on_unavailable, on_denied, on_incomplete or _log_incomplete)
    made = []
    for name, tool in zip(names, tools, strict=True):
        rule = cast(ToolRule, {**_DEFAULT, **(default or {}), **(rules or {}).get(name, {})})
        if isinstance(agent, ActingAgent):
            made.append(cast(Tool, _governed(tool, agent, governor, rule)))
        else:
            made.append(cast(Tool, _governed_async(tool, agent, governor, rule)))
    return made


# Raised when arguments without a JSON form are bound.
_UNBINDABLE = (ValueError, RecursionError)


@dataclass(frozen=True)
class _Call:
    """One call of a tool."""

    tool: str
    rule: ToolRule
    bound: inspect.BoundArguments

    def value_of(self, given: Any) -> Any:
        return given(*self.bound.args, **self.bound.kwargs) if callable(given) else given

    def text_of(self, given: Resource) -> str:
        text = self.value_of(given)
        if not isinstance(text, str):
            raise TypeError(f"the resource of {self.tool} must be a string, not {text!r}")
        return text.replace("{tool}", self.tool) if text is given else text

    def facts(self) -> dict[str, Any]:
        """Returns the metadata that binds a decision to the arguments. Raises if they have no JSON form."""
        return {"request": bound_tool_call(self.tool, self.bound.arguments, self.rule["arguments"] == "show")}


@dataclass(frozen=True)
class _Governor:
    vat_jti: str
    on_unavailable: str
    on_denied: OnDenied
    on_incomplete: Callable[[Incomplete, str], None]

    def wanted(self, call: _Call) -> Wanted:
        """Returns the requested action. Raises ToolDenied if a rule fails or the arguments can't be bound."""
        tool, rule = call.tool, call.rule
        what = {"tool": tool, "action": "?", "resource": "?"}
        try:
            resource, spend_usd = call.text_of(rule["resource"]), call.value_of(rule["spend_usd"])
            what = {"tool": tool, "action": rule["action"].replace("{tool}", tool), "resource": resource}
            cost = None if spend_usd is None else rounded_up_usd(spend_usd)
        except Exception as error:
            LOG.warning("the rule of the tool %s failed", tool, exc_info=error)
            raise _unjudged(what, error) from error
        try:
            facts = call.facts()
        except _UNBINDABLE as error:
            message = "the arguments have no JSON form."
            raise _refused(what, "arguments_not_bound", message) from error
        return Wanted(self.vat_jti, what["action"], resource, cost, None, None, facts, tool)

    def lets_pass(self, error: Exception) -> bool:
        """Whether the call runs without a record."""
        return self.on_unavailable == "allow" and is_away(error)

    def told(self, denied: ToolDenied) -> str:
        if callable(self.on_denied):
            self.on_denied(denied)
        if self.on_denied == "raise":
            raise denied
        return str(denied)


def _governed(function: Callable[..., Any], agent: ActingAgent, governor: _Governor, rule: ToolRule) -> Any:
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__name__} is an async function: it needs an AsyncActingAgent")
    signature = inspect.signature(function)

    @wraps(function)
    def governed_tool(*args: Any, **kwargs: Any) -> Any:
        call = _Call(function.__name__, rule, _bound(signature, args, kwargs))
        try:
            action = _begun(agent, governor, call)
        except ToolDenied as denied:
            return governor.told(denied)
        if action is None:
            return function(*args, **kwargs)
        try:
            with action.active():
                value = finished(function(*args, **kwargs))
        except BaseException as error:
            end(agent.deputy, action, error)
            raise
        hash_if_possible(action, value)
        try:
            end(agent.deputy, action, None, value)
        except Incomplete as failure:
            governor.on_incomplete(failure, action.aar_id)
        return value

    return governed_tool


def _governed_async(
    function: Callable[..., Any], agent: AsyncActingAgent, governor: _Governor, rule: ToolRule
) -> Any:
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__name__} is not an async function: it needs an ActingAgent")
    signature = inspect.signature(function)

    @wraps(function)
    async def governed_tool(*args: Any, **kwargs: Any) -> Any:
        call = _Call(function.__name__, rule, _bound(signature, args, kwargs))
        try:
            action = await _begun_async(agent, governor, call)
        except ToolDenied as denied:
            return governor.told(denied)
        if action is None:
            return await function(*args, **kwargs)
        try:
            with action.active():
                value = finished(await function(*args, **kwargs))
        except BaseException as error:
            await end_async(agent.deputy, action, error)
            raise
        hash_if_possible(action, value)
        try:
            await end_async(agent.deputy, action, None, value)
        except Incomplete as failure:
            governor.on_incomplete(failure, action.aar_id)
        return value

    return governed_tool


def _begun(agent: ActingAgent, governor: _Governor, call: _Call) -> Action | None:
    """Begins the action. Returns None if the call runs without a record. Raises ToolDenied if it must not run."""
    wanted = governor.wanted(call)
    try:
        return begin(agent.deputy, wanted)
    except NotAuthorized as error:
        denied, approval_id = error, _approval_to_wait_for(call, wanted, error)
    except Exception as error:
        if governor.lets_pass(error):
            return None
        raise _unjudged(_named(wanted), error) from error
    # A call that needs an approval never runs without it.
    try:
        while (approval := agent.deputy.get_approval(approval_id, wait=APPROVAL_POLL_S))["state"] == "pending":
            pass
        _check_approved(wanted, denied, approval)
        _check_unchanged(call, wanted)
        return begin(agent.deputy, replace(wanted, approval_id=approval_id))
    except ToolDenied:
        raise
    except Exception as error:
        raise _unjudged(_named(wanted), error) from error


async def _begun_async(agent: AsyncActingAgent, governor: _Governor, call: _Call) -> Action | None:
    """Like `_begun`."""
    wanted = governor.wanted(call)
    try:
        return await begin_async(agent.deputy, wanted)
    except NotAuthorized as error:
        denied, approval_id = error, _approval_to_wait_for(call, wanted, error)
    except Exception as error:
        if governor.lets_pass(error):
            return None
        raise _unjudged(_named(wanted), error) from error
    try:
        while (approval := await agent.deputy.get_approval(approval_id, wait=APPROVAL_POLL_S))["state"] == "pending":
            pass
        _check_approved(wanted, denied, approval)
        _check_unchanged(call, wanted)
        return await begin_async(agent.deputy, replace(wanted, approval_id=approval_id))
    except ToolDenied:
        raise
    except Exception as error:
        raise _unjudged(_named(wanted), error) from error


def _approval_to_wait_for(call: _Call, wanted: Wanted, denied: NotAuthorized) -> str:
    """Returns the approval to wait for. Raises ToolDenied if there is none."""
    if denied.approval_id is None or call.rule["approval"] == "refuse":
        raise _unjudged(_named(wanted), denied) from denied
    return denied.approval_id


def _check_approved(wanted: Wanted, denied: NotAuthorized, approval: Approval) -> None:
    if approval["state"] != "approved":
        raise NotAuthorized(denied.decision, denied.action, denied.resource, approval)


def _check_unchanged(call: _Call, wanted: Wanted) -> None:
    """Raises if the program has changed the arguments meanwhile: an approval covers only those that the person saw."""
    try:
        facts = call.facts()
    except _UNBINDABLE:
        facts = None
    if wanted.metadata != facts:
        message = "the arguments changed while a person decided about them."
        raise _refused(_named(wanted), "arguments_not_bound", message)


def _named(wanted: Wanted) -> dict[str, str]:
    return {"tool": wanted.tool or "", "action": wanted.action, "resource": str(wanted.resource)}


def _unjudged(what: Mapping[str, str], error: Exception) -> ToolDenied:
    """Returns the error of a call that was denied or undecided: the service is away or refused, or a rule failed."""
    if isinstance(error, NotAuthorized):
        return _denied(what, error)
    if isinstance(error, Unreachable) or getattr(error, "status", None) in (502, 503, 504):
        return ToolDenied(unavailable_words(what), {**what, "code": "unavailable", "reasons": []})
    if isinstance(error, Refusal):
        return _refused(what, error.code, error.detail or error.title, error.request_id)
    if isinstance(error, BadAnswer):
        return _refused(what, error.code, str(error))
    return _refused(what, "internal_error", "the guard failed.")


def _denied(what: Mapping[str, str], error: NotAuthorized) -> ToolDenied:
    facts: dict[str, Any] = {
        "reasons": error.reasons,
        "details": error.details,
        "approval_state": error.approval_state,
        "approval_id": error.approval_id,
        "denial_id": error.denial_id,
    }
    more = {"note": error.note, "provenance_ref": error.decision.get("provenance_ref")}
    return ToolDenied(denied_words(what, **facts), {**what, "code": "denied", **facts, **more})


def _refused(what: Mapping[str, str], code: str, message: str, request_id: str | None = None) -> ToolDenied:
    denial: dict[str, Any] = {**what, "code": code, "reasons": [], "request_id": request_id}
    return ToolDenied(refused_words(what, code, message), denial)


def _bound(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """Binds the arguments. Raises TypeError if the function can't be called with them, as the function itself would."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _checked_name(tool: object) -> str:
    if not inspect.isfunction(tool) and not inspect.ismethod(tool):
        raise TypeError(f"{tool!r} is not a function. Govern the function first, then make a tool of what governed returns")
    check_runs_at_once(tool)
    return str(tool.__name__)


def _check_rules(rules: Mapping[str, ToolRule], default: ToolRule | None, tools: Sequence[str]) -> None:
    for name in rules:
        if name not in tools:
            raise TypeError(f"there is a rule for {name}, but no tool of that name. Tools: {', '.join(tools)}")
    for name, rule in {**rules, "default": default or {}}.items():
        for member, value in rule.items():
            if member not in _DEFAULT:
                raise TypeError(f"{name} has an unknown member {member}. Known members: {', '.join(_DEFAULT)}")
            if member in _CHOICES and value not in _CHOICES[member]:
                raise TypeError(f"{name}: {member} must be {' or '.join(_CHOICES[member])}, not {value!r}")
            if member == "spend_usd" and isinstance(value, (str, int, float)):
                rounded_up_usd(cast(float, value))


def _log_incomplete(failure: Incomplete, aar_id: str) -> None:
    LOG.warning("%s", failure, extra={"aar_id": aar_id})
