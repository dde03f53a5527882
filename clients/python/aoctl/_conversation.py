"""One question, asked over as many connections as it takes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

from ._console import Console, Lost, NoConsole, Refusal, Silent, locate, request, unreadable

MOST_SECONDS = 86_400


class limits:
    """Seconds. Tests make them small."""

    silence = 45.0  # for an answer; the console holds a poll for 25 s
    grace = 0.8  # beyond the person's time, for the console to say that it ran out
    away = 30.0  # for a console that restarts
    leave = 1.0  # to take a question back
    retry = 0.05  # the first wait before asking again
    retry_most = 0.5


def check_times(timeout: float, at_most: float) -> float:
    """The longest that a call may wait, in seconds."""
    for seconds in (timeout, at_most):
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= MOST_SECONDS:
            raise Refusal(f"a time of {seconds} seconds is not between 0 and {MOST_SECONDS}")
    return max(timeout, at_most)


async def converse(
    target: str, body: bytes, poll: Callable[[str], str], *, chosen: str = "", timeout: float, at_most: float,
    path: str | os.PathLike[str] | None, url: str | None, token: str | None,
) -> dict[str, Any]:
    """Asks until there is a final answer, and returns its JSON. Whatever it raises means no.

    poll names where an answer is waited for. chosen is the request's id where the caller chose one:
    then the post only opens the request.
    """
    c = _Conversation(locate(path, url, token), timeout, check_times(timeout, at_most), chosen)
    try:
        return await c.run(target, body, poll)
    except asyncio.CancelledError:
        # It runs beside: the caller ends now.
        leaving = asyncio.ensure_future(c.withdraw())
        _leaving.add(leaving)
        leaving.add_done_callback(_leaving.discard)
        await asyncio.wait({leaving}, timeout=limits.leave)
        raise


_leaving: set[asyncio.Future[None]] = set()  # the loop itself keeps no task alive


class _Conversation:
    def __init__(self, at: Console, timeout: float, at_most: float, chosen: str) -> None:
        self.at, self.id, self.chosen = at, chosen, chosen
        self.begun = time.monotonic()
        self.until = self.begun + timeout
        self.most = self.begun + at_most
        self.correlation = str(uuid.uuid4())

    async def run(self, target: str, body: bytes, poll: Callable[[str], str]) -> dict[str, Any]:
        wait, reached = limits.retry, False
        lost: float | None = None
        while True:
            try:
                status, answer = await self.send("POST", target, body)
                opened = bool(self.chosen)
                while opened or status == 202:
                    reached = True
                    self.wait_for(answer)
                    if not opened:
                        lost, wait = None, limits.retry  # a post that is taken is no answer yet
                        await asyncio.sleep(limits.retry)  # a console that always says wait must not keep us busy
                    if time.monotonic() >= self.until + limits.grace:
                        raise self.overdue()
                    opened = False
                    status, answer = await self.send("GET", poll(self.id), None)
                return answer
            except (Lost, NoConsole) as error:
                reached = reached or isinstance(error, Lost)
                if not reached:
                    raise
                now = time.monotonic()
                lost = now if lost is None else lost
                if now >= min(lost + limits.away, self.until + limits.grace):
                    raise _went_away(error) from None
            await asyncio.sleep(wait)
            wait = min(2 * wait, limits.retry_most)

    async def send(self, method: str, target: str, body: bytes | None) -> tuple[int, dict[str, Any]]:
        now = time.monotonic()
        left = self.until + limits.grace - now
        headers = {"Aoctl-Timeout-Ms": _ms(self.until - now), "Aoctl-At-Most-Ms": _ms(self.most - now)}
        try:
            return await request(self.at, method, target, body, self.correlation, min(limits.silence, left), headers)
        except Refusal as error:
            # A console that came back may not know the request; asked again, it will.
            if method == "GET" and error.code == "not_found":
                raise Lost(str(error)) from None
            if isinstance(error, Silent) and left < limits.silence:
                raise self.overdue() from None
            raise

    def wait_for(self, answer: dict[str, Any]) -> None:
        """Notes which request is waited for, and for how long."""
        id, ms = answer.get("request_id"), answer.get("wait_ms")
        if not isinstance(id, str) or not re.fullmatch(r"[\w.:-]{1,128}", id, re.ASCII):
            raise unreadable("it says wait but names no request")
        if self.chosen not in ("", id):
            raise unreadable("it is for another request")
        self.id = id
        if isinstance(ms, int) and ms > 0:
            self.until = max(self.until, min(time.monotonic() + ms / 1000, self.most))

    def overdue(self) -> Refusal:
        return Refusal(f"time ran out: nobody answered within {round(self.until - self.begun)} s; ask again when somebody is at the console")

    async def withdraw(self) -> None:
        """Closes the card. A failure costs a person a look: nobody hears what they answer."""
        if not self.id:
            return  # a hook's: the console sees that the connection closed
        end = time.monotonic() + limits.leave
        body = json.dumps({"reason": "the program that asked took its question back"}).encode()
        while (left := end - time.monotonic()) > 0:
            try:
                await request(self.at, "POST", f"/approval-requests/{self.id}/cancel", body, self.correlation, left)
                return
            except (Refusal, Lost) as error:
                # The question may be on its way still: two connections keep no order.
                if isinstance(error, Refusal) and error.code != "not_found":
                    return
            await asyncio.sleep(limits.retry)


def _ms(seconds: float) -> str:
    return str(max(0, round(seconds * 1000)))


def _went_away(error: Exception) -> Refusal:
    if isinstance(error, NoConsole):
        return Refusal('the console ended while this call waited, and did not come back in time; start it again with "aoctl"')
    return Refusal("the console closes the connection again and again without an answer; look into its log, or restart it")
