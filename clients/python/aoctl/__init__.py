"""What a program built on the Claude Agent SDK gives to it, so that the operator at an aoctl console decides.

Whatever goes wrong is a no, with one sentence that says why. Only asyncio is supported.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._console import Refusal, unreadable
from ._conversation import check_times, converse

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher, PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

__all__ = ["Decision", "Refusal", "can_use_tool", "end_session", "gate", "hooks", "request_approval"]

_GRACE = 60  # seconds beyond our own time: Claude Code does not wait longer for a hook
_WATCH = 10


@dataclass(frozen=True)
class Decision:
    """The operator's answer. The call may run, once and with input, only when allowed is true."""

    allowed: bool
    input: dict[str, Any]  # the operator's, or a copy of what was asked
    changed: bool  # the operator changed the input
    reason: str  # why not, or a word that came with the permission
    status: str  # "allowed", "denied", "expired", "cancelled" or "answered"
    request_id: str
    by: str | None  # who decided: "operator", "rule", "stop" …


async def request_approval(
    tool: str, input: dict[str, Any], *, session: str, agent: str = "agent-sdk", tool_use_id: str | None = None,
    cwd: str | None = None, timeout: float = 600, at_most: float = 3600,
    socket: str | os.PathLike[str] | None = None, url: str | None = None, token: str | None = None,
) -> Decision:
    """Puts one call before the operator, for programs without the SDK.

    Raises Refusal when there is no answer. When its task is cancelled, the question is taken back.

    session groups calls in the console, and is what a stop acts on. timeout is how long the operator
    has, at_most how long the call may wait when they give it more time, both in seconds. The console
    is at socket, or at url with a token for asking, or where AOCTL_URL and AOCTL_SOCKET say, or at
    the usual place.
    """
    if not session:
        raise Refusal("there is no session; give it an id")
    if not isinstance(input, dict):
        raise Refusal("the input is no dict")
    asked = _text(input)  # what was asked is what runs, whatever becomes of the caller's dict meanwhile
    id = str(uuid.uuid4())
    question = {
        "request_id": id, "session_id": session, "agent": agent, "cwd": cwd or os.getcwd(), "tool_name": tool,
        "tool_use_id": tool_use_id or "", "timeout": timeout, "at_most": check_times(timeout, at_most),
    }
    body = f'{_text(question)[:-1]}, "tool_input": {asked}}}'.encode()
    answer = await converse(
        "/create-approval-request", body, lambda id: f"/approval-requests/{id}/decision?timeout=25", chosen=id,
        timeout=timeout, at_most=at_most, path=socket, url=url, token=token,
    )
    return _decision(answer, id, asked)


def _text(value: dict[str, Any]) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal(f"the call cannot be written as JSON: {error}") from None


_OBSERVING = "the console only observes, so nobody can allow or answer anything there; to have calls held again, press O on this session in the console"


def _decision(answer: dict[str, Any], id: str, asked: str) -> Decision:
    """Only an allow that says so twice is one."""
    decision, status, changed, by = (answer.get(name) for name in ("decision", "status", "updated_input", "by"))
    if answer.get("request_id") != id:
        raise unreadable("it is for another request")
    allowed = decision == "allow" and status == "allowed"
    # The console says allow because nothing is held; nobody and no rule has allowed this call.
    if decision == "allow" and status == "answered" and isinstance(by, dict) and by.get("kind") == "observe":
        raise Refusal(_OBSERVING)
    if not allowed and (decision != "deny" or status == "allowed"):
        raise unreadable(f"it says {decision!r} and {status!r}")
    if changed is not None and not isinstance(changed, dict):
        raise unreadable("its updated_input is no object")
    return Decision(
        allowed=allowed, input=json.loads(asked) if changed is None else changed, changed=changed is not None, reason=str(answer.get("reason") or ""),
        status=str(status), request_id=id, by=by.get("kind") if isinstance(by, dict) else None,
    )


def _sentence(error: BaseException) -> str:
    words = "".join(c if c.isprintable() else " " for c in f"aoctl refused this call: {error}")
    return re.sub(r"\s+", " ", words).rstrip(". ") + "."


async def end_session(session: str, *, socket: str | os.PathLike[str] | None = None, url: str | None = None, token: str | None = None) -> None:
    """Tells the console that a session is over, one that no hook tells of."""
    body = _text({"event_type": "session_stop", "session_id": session}).encode()
    await converse("/events", body, lambda id: "", timeout=_WATCH, at_most=_WATCH, path=socket, url=url, token=token)


CanUseTool = Callable[[str, dict[str, Any], "ToolPermissionContext"], Awaitable["PermissionResultAllow | PermissionResultDeny"]]


def can_use_tool(*, session: str | None = None, **options: Any) -> CanUseTool:
    """The SDK's can_use_tool, with the operator behind it. It takes the options of request_approval.

    It raises nothing but CancelledError: whatever goes wrong is a deny whose message says why. The
    SDK asks it only about calls that neither a hook nor its settings, rules or mode decided; hooks
    are asked about every call.
    """
    return _ask_as(_Who(session or str(uuid.uuid4())), options)


@dataclass
class _Who:
    session: str  # a hook may tell of another one later


def _ask_as(who: _Who, options: dict[str, Any]) -> CanUseTool:
    from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny

    async def ask(tool: str, input: dict[str, Any], context: ToolPermissionContext) -> PermissionResultAllow | PermissionResultDeny:
        try:
            d = await request_approval(tool, input, session=who.session, tool_use_id=getattr(context, "tool_use_id", None), **options)
        except Exception as error:
            return PermissionResultDeny(message=_sentence(error))
        if not d.allowed:
            return PermissionResultDeny(message=d.reason or "The operator refused this call in aoctl.", interrupt=d.by == "stop")
        if tool == "AskUserQuestion" and not isinstance(d.input.get("answers"), dict):
            return PermissionResultDeny(message="The questions were let through in aoctl without an answer. Go on without one.")
        return PermissionResultAllow(updated_input=d.input)

    return ask


# The events that the SDK has hooks for and that the console is told of.
_WATCHED = ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStart", "SubagentStop", "Notification")


def hooks(
    *, timeout: float = 600, at_most: float = 3600,
    socket: str | os.PathLike[str] | None = None, url: str | None = None, token: str | None = None,
) -> dict[Any, list[HookMatcher]]:
    """The SDK's hooks: what "aoctl install claude" installs, within the program.

    The console is asked before every call, and told what came of it. A call is refused when the
    console is away.
    """
    return _hooks_of(_Who(""), timeout, at_most, {"path": socket, "url": url, "token": token})


def _hooks_of(who: _Who, timeout: float, at_most: float, console: dict[str, Any]) -> dict[Any, list[HookMatcher]]:
    from claude_agent_sdk import HookMatcher

    longest = check_times(timeout, at_most)

    async def ask(input: Any, timeout: float, at_most: float) -> Any:
        who.session = input["session_id"]
        return await converse("/hooks/claude", _text(input).encode(), lambda id: f"/hooks/claude/{id}", timeout=timeout, at_most=at_most, **console)

    async def decide(input: Any, tool_use_id: str | None, context: Any) -> Any:
        try:
            return await ask(input, timeout, longest)
        except Exception as error:
            return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": _sentence(error)}}

    async def watch(input: Any, tool_use_id: str | None, context: Any) -> Any:
        try:
            return await ask(input, _WATCH / 2, _WATCH / 2)
        except Exception:
            return {}  # it is only told

    gates = {"PreToolUse": [HookMatcher(hooks=[decide], timeout=longest + _GRACE)]}
    return gates | {event: [HookMatcher(hooks=[watch], timeout=_WATCH)] for event in _WATCHED}


def gate(
    *, session: str | None = None, agent: str = "agent-sdk", cwd: str | None = None, timeout: float = 600, at_most: float = 3600,
    socket: str | os.PathLike[str] | None = None, url: str | None = None, token: str | None = None,
) -> dict[str, Any]:
    """The whole gate, for the SDK's options: ClaudeAgentOptions(**gate()).

    The hooks ask the console about every call; with can_use_tool beside them the model can also ask
    its user, and nothing waits for an answer elsewhere. Make one for each client: its calls are all of
    the session that the hooks tell of. Takes the options of request_approval.
    """
    who = _Who(session or str(uuid.uuid4()))
    return {
        "hooks": _hooks_of(who, timeout, at_most, {"path": socket, "url": url, "token": token}),
        "can_use_tool": _ask_as(who, {"agent": agent, "cwd": cwd, "timeout": timeout, "at_most": at_most, "socket": socket, "url": url, "token": token}),
    }
