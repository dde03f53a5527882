"""Asks about calls, all at once, and prints their answers as a list. Its argument is {limits?,
questions: [{call, options?, hook?, ends?}]}; an interrupt takes the questions back."""

import asyncio
import json
import signal
import sys
from pathlib import Path

here = Path(__file__).parent
sys.path[:0] = [str(here / "sdk"), str(here.parent / "python")]
import aoctl
from aoctl import _conversation
from claude_agent_sdk import ToolPermissionContext


async def answer(call, options={}, hook=None, ends=False):
    options = {{"atMost": "at_most"}.get(name, name): value for name, value in options.items()}
    if hook:
        return await aoctl.hooks(**options)[hook][0].hooks[0]({"hook_event_name": hook, **call}, "toolu_1", None)
    task = asyncio.ensure_future(aoctl.can_use_tool(agent="tester", **options)(call["tool"], call["input"], ToolPermissionContext(tool_use_id="toolu_1")))
    await asyncio.sleep(0)  # it asks
    call["input"]["changed"] = "after it was asked"
    result = await task
    if ends:
        await aoctl.end_session(options["session"])
    if result.behavior == "allow":
        return {"behavior": "allow", "updatedInput": result.updated_input}
    return {"behavior": "deny", "message": result.message, "interrupt": result.interrupt}


async def main():
    asked = json.loads(sys.argv[1])
    for name, seconds in asked.get("limits", {}).items():
        setattr(_conversation.limits, name, seconds)
    task = asyncio.gather(*(answer(**q) for q in asked["questions"]))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
    try:
        print(json.dumps(await task))
    except asyncio.CancelledError:
        print(json.dumps([{"behavior": "deny", "message": "cancelled"} for _ in asked["questions"]]))


asyncio.run(main())
