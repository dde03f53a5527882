"""Stands in for the Agent SDK: the types of it that clients/python uses, as its types.py has them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class ToolPermissionContext:
    signal: Any = None
    suggestions: list[Any] = field(default_factory=list)
    tool_use_id: str | None = None
    agent_id: str | None = None


@dataclass
class PermissionResultAllow:
    behavior: str = "allow"
    updated_input: dict[str, Any] | None = None
    updated_permissions: list[Any] | None = None


@dataclass
class PermissionResultDeny:
    behavior: str = "deny"
    message: str = ""
    interrupt: bool = False


@dataclass
class HookMatcher:
    matcher: str | None = None
    hooks: list[Any] = field(default_factory=list)
    timeout: float | None = None
