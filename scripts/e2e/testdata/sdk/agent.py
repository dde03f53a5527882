"""A program that speaks to Claude Code as the Agent SDK for Python does, and gates its calls with clients/python.

The SDK itself is not to be had where the tests run: the messages below are those of its query.py and
subprocess_cli.py. Arguments: a Claude Code, what is asked, "bypass" or "", options of clients/python
as JSON. It prints Claude Code's result; an interrupt ends the turn.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path

clients = Path(__file__).parents[4] / "clients"
sys.path[:0] = [str(clients / "python"), str(clients / "testdata" / "sdk")]
import aoctl
from claude_agent_sdk import ToolPermissionContext

claude, kind, mode, own = (sys.argv[1:] + ["", "", "{}"])[:4]
options = json.loads(own or "{}")
given = {
    "can_use_tool": lambda: {"can_use_tool": aoctl.can_use_tool(agent="nightly", **options)},
    "hooks": lambda: {"hooks": aoctl.hooks(**options)},
    "gate": lambda: aoctl.gate(**options),
}[kind]()


async def main():
    line = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--setting-sources="]
    if "can_use_tool" in given:
        line += ["--permission-prompt-tool", "stdio"]
    if mode == "bypass":
        line += ["--permission-mode", "bypassPermissions", "--allow-dangerously-skip-permissions"]
    agent = await asyncio.create_subprocess_exec(claude, *line, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=16 << 20)
    callbacks, matchers = {}, {}
    for event, list in given.get("hooks", {}).items():
        for m in list:
            ids = [f"hook_{len(callbacks) + i}" for i in range(len(m.hooks))]
            callbacks |= dict(zip(ids, m.hooks))
            matchers.setdefault(event, []).append({"matcher": m.matcher, "hookCallbackIds": ids, "timeout": m.timeout})

    def send(**message):
        agent.stdin.write(json.dumps(message).encode() + b"\n")

    async def answer(id, request):
        if request["subtype"] == "hook_callback":
            said = await callbacks[request["callback_id"]](request["input"], request.get("tool_use_id"), {"signal": None})
        else:
            result = await given["can_use_tool"](request["tool_name"], request["input"], ToolPermissionContext(tool_use_id=request["tool_use_id"]))
            said = {"behavior": "allow", "updatedInput": result.updated_input} if result.behavior == "allow" else {"behavior": "deny", "message": result.message, "interrupt": result.interrupt}
        send(type="control_response", response={"subtype": "success", "request_id": id, "response": said})

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: send(type="control_request", request_id="req_2", request={"subtype": "interrupt"}))
    send(type="control_request", request_id="req_1", request={"subtype": "initialize", "hooks": matchers or None})
    send(type="user", message={"role": "user", "content": "do it"}, parent_tool_use_id=None, session_id="default")
    running = {}
    async for text in agent.stdout:
        message = json.loads(text)
        match message["type"]:
            case "control_request":
                running[message["request_id"]] = asyncio.ensure_future(answer(message["request_id"], message["request"]))
            case "control_cancel_request" if message["request_id"] in running:
                running[message["request_id"]].cancel()
            case "result":
                print(json.dumps(message), flush=True)
                agent.stdin.close()
    await agent.wait()
    await asyncio.gather(*running.values(), return_exceptions=True)


asyncio.run(main())
