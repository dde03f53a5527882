"""Where the console listens, and one request to it.

Everything is refused that comes from somebody who may not be the console, and everything that two
readers could take in two ways.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import stat
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

PROTOCOL = "1"
MOST_HEAD = 32 << 10  # bytes
MOST_BODY = 8 << 20
LONGEST_PATH = 103  # bytes; what fits the address of a socket on every system
SINGLE = {"content-length", "transfer-encoding", "content-type", "aoctl-protocol", "aoctl-correlation", "aoctl-request-id", "aoctl-proof"}


class Refusal(Exception):
    """Why there is no permission, in words for a person and a model.

    code is the console's own word (docs/api.md), where it has one.
    """

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


class NoConsole(Refusal):
    """Nobody listens there."""


class Silent(Refusal):
    """The console has the connection and says nothing."""


class Lost(Exception):
    """The connection ended without an answer: the same question may be asked again."""


def unreadable(why: str) -> Refusal:
    return Refusal(f"the console's answer cannot be used: {why}; restart the console, and use it and this package of one release")


@dataclass(frozen=True)
class Console:
    """Where to ask: a socket, or a port with the key of a token."""

    name: str
    host: str = "localhost"  # what the console takes for its own name
    path: str = ""
    address: tuple[str, int] = ("", 0)
    key: str = ""


def locate(path: str | os.PathLike[str] | None, url: str | None, token: str | None) -> Console:
    """Finds the console: where the program says, else where AOCTL_URL says, else at the usual socket."""
    if path is not None and url is not None:
        raise Refusal("both a socket and a url are given; give one of them")
    if path is None and url is None:
        url = os.environ.get("AOCTL_URL") or None
    if url is not None:
        return _remote(url, os.environ.get("AOCTL_TOKEN", "") if token is None else token)
    file = os.path.abspath(path if path is not None else _usual_socket())
    return Console(name=file, path=file)


def _usual_socket() -> str:
    env = os.environ.get
    if env("AOCTL_SOCKET"):
        return os.environ["AOCTL_SOCKET"]
    if env("AOCTL_HOME"):
        return os.path.join(os.environ["AOCTL_HOME"], "broker.sock")
    for variable, below in (("XDG_RUNTIME_DIR", "aoctl"), ("XDG_STATE_HOME", "aoctl"), ("HOME", ".local/state/aoctl")):
        if os.path.isabs(env(variable, "")):
            return os.path.join(os.environ[variable], below, "broker.sock")
    raise Refusal("cannot tell where the console's socket is; set HOME, AOCTL_HOME or AOCTL_SOCKET")


def _remote(url: str, token: str) -> Console:
    at = re.fullmatch(r"http://(localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal|host\.containers\.internal):([1-9][0-9]{0,4})/?", url)
    if at is None or int(at[2]) > 65535:
        raise Refusal(f"{url!r} is not an address such as http://localhost:8765; forward the port of a console that is farther away")
    if token.startswith("aoctl_op_"):
        raise Refusal("the token is an operator's, with which the agent could allow its own calls; mint one for asking in the console: r, t, then N")
    if not re.fullmatch(r"aoctl_ask_[\w.-]+", token, re.ASCII):
        raise Refusal("there is no token for asking; mint one in the console (r, t, then N) and give it as token or AOCTL_TOKEN")
    return Console(
        name=f"http://{at[1]}:{at[2]}", host=f"localhost:{at[2]}", address=(_address(at[1]), int(at[2])), key=hashlib.sha256(token.encode()).hexdigest()
    )


def _address(name: str) -> str:
    """No name server is asked: what it says is anybody's word."""
    known = {"localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "[::1]": "::1"}
    if name in known:
        return known[name]
    try:
        lines = Path("/etc/hosts").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        ip, *names = line.split("#")[0].split() or [""]
        if name in names and re.fullmatch(r"[0-9.]+", ip):
            return ip
    raise Refusal(f"this machine does not know {name}; start the container with --add-host={name}:host-gateway")


def _check_path(file: str) -> None:
    """Makes sure that nobody but this user can have put a socket there."""
    if len(os.fsencode(file)) > LONGEST_PATH:
        raise Refusal(f"the socket's path is longer than {LONGEST_PATH} bytes: {file}")
    me, folder = os.geteuid(), os.path.dirname(file)
    found = _look(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise Refusal(f"the socket's folder {folder} is a link or no folder; move it away and start aoctl")
    if found.st_uid != me:
        raise Refusal(f"the socket's folder {folder} belongs to user id {found.st_uid}; name a socket in a folder of yours")
    if found.st_mode & 0o022:
        raise Refusal(f"others can write to the socket's folder {folder}; chmod 700 it")
    found = _look(file)
    if not stat.S_ISSOCK(found.st_mode):
        raise Refusal(f"{file} is no socket; move it away and start aoctl")
    if found.st_uid != me:
        raise Refusal(f"the socket {file} belongs to user id {found.st_uid}; move it away and start aoctl")


def _look(name: str) -> os.stat_result:
    try:
        return os.lstat(name)
    except FileNotFoundError:
        raise NoConsole(f'no console is listening: {name} does not exist; start one with "aoctl"') from None
    except OSError as error:
        raise Refusal(f"{name} cannot be looked at: {error.strerror}") from None


def _check_peer(file: str, end: socket.socket) -> None:
    """Makes sure that the process at the other end is the one that the lock file names.

    A pid of 0 is a process that cannot be seen from here, such as a console outside of our container.
    """
    try:
        holder = Path(f"{file}.lock").read_text().strip()
    except OSError:
        holder = ""
    if not re.fullmatch(r"[1-9][0-9]*", holder):
        raise Refusal(f"what serves {file} is not aoctl: no lock file beside it names a process; end it and start aoctl")
    if not sys.platform.startswith("linux"):
        return
    pid, uid, _ = struct.unpack("iii", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iii")))
    if uid != os.geteuid():
        raise Refusal(f"the process that serves {file} belongs to user id {uid}; find out who it is")
    if pid not in (0, int(holder)):
        raise Refusal(f"process {pid} serves {file}, but the console there is process {holder}; end that process and start aoctl anew")


async def _connect(at: Console) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        if at.path:
            _check_path(at.path)
            reader, writer = await asyncio.open_unix_connection(at.path, limit=MOST_HEAD)
        else:
            reader, writer = await asyncio.open_connection(*at.address, limit=MOST_HEAD)
    except (ConnectionRefusedError, FileNotFoundError):
        raise NoConsole(f'no console is listening at {at.name}; start one with "aoctl"') from None
    except PermissionError:
        raise Refusal(f"no permission to connect to {at.name}") from None
    except OSError as error:
        raise Lost(str(error)) from None
    try:
        if at.path:
            _check_peer(at.path, writer.get_extra_info("socket"))
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


async def request(at: Console, method: str, target: str, body: bytes | None, correlation: str, silence: float, headers: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """Sends one request over a connection of its own and returns status and JSON of the answer.

    It raises Lost or a Refusal. silence is how long the answer may take, in seconds.
    """
    head = {
        "Host": at.host, "Aoctl-Protocol": PROTOCOL, "Aoctl-Correlation": correlation,
        "Aoctl-Pid": str(os.getpid()), "Aoctl-Ppid": str(os.getppid()), "Connection": "close", **(headers or {}),
    }
    if body is not None:
        head |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    ask: list[str] = []
    if at.key:
        ask = [secrets.token_hex(16), method, target]
        digest = _sum(body or b"")
        head["Authorization"] = f'Aoctl nonce="{ask[0]}", body="{digest}", mac="{_mac(at.key, "ask", *ask, digest)}"'
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
    try:
        async with _Deadline(silence):
            status, got, raw = await _exchange(at, "\r\n".join(lines).encode() + (body or b""))
    except _TooLate:
        raise Silent("the console accepted the connection but does not answer; look at the console, or restart it") from None
    if at.key:
        _check_proof(at, ask, status, got, raw)
    return _read(status, got, raw, correlation)


class _TooLate(Exception):
    """A _Deadline ended its block."""


class _Deadline:
    """Ends what is awaited in its block after some seconds.

    Python 3.10 has no asyncio.timeout, and wait_for forgets there and in 3.11 that it was cancelled
    when the answer comes at the same moment: then a question would not be taken back.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._over = False

    async def __aenter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(max(0.0, self._seconds), self._end)

    def _end(self) -> None:
        self._over = True
        if self._task is not None:
            self._task.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._over and kind is asyncio.CancelledError:
            uncancel = getattr(self._task, "uncancel", lambda: 0)  # since 3.11
            if uncancel() == 0:  # else somebody else cancelled it as well
                raise _TooLate


async def _exchange(at: Console, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    reader, writer = await _connect(at)
    try:
        try:
            writer.write(sent)
            await writer.drain()
        except OSError:
            pass  # a console may refuse before it has read everything: an answer is looked for
        return await _answer(reader)
    except OSError as error:
        raise Lost(str(error)) from None
    finally:
        writer.transport.abort()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise unreadable("its headers are too large") from None
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            raise Lost("not a byte of an answer") from None
        raise unreadable("it is cut off or not HTTP") from None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    status = re.fullmatch(r"HTTP/1\.1 ([1-5][0-9][0-9])( .*)?", first)
    if status is None:
        raise unreadable("it is not HTTP")
    got: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9a-z-]+", name):
            raise unreadable("a header is malformed")
        if name in got and name in SINGLE:
            raise unreadable(f"it has two {name} headers")
        got[name] = value.strip(" \t")
    length = got.get("content-length", "")
    if "transfer-encoding" in got or not re.fullmatch(r"[0-9]{1,9}", length):
        raise unreadable("it does not say how long it is")
    if int(length) > MOST_BODY:
        raise unreadable("it is too large")
    try:
        return int(status[1]), got, await reader.readexactly(int(length))
    except asyncio.IncompleteReadError:
        raise unreadable("it is cut off") from None


def _sum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _mac(key: str, *lines: str) -> str:
    return hmac.new(key.encode(), "\n".join(lines).encode("latin-1"), hashlib.sha256).hexdigest()


def _check_proof(at: Console, ask: list[str], status: int, got: dict[str, str], raw: bytes) -> None:
    """Nothing counts before this, not even why the other end refuses: over TCP anybody may listen."""
    names = ("aoctl-protocol", "aoctl-correlation", "aoctl-request-id", "content-type")
    want = _mac(at.key, "answer", *ask, str(status), *(got.get(name, "") for name in names), _sum(raw))
    proof = got.get("aoctl-proof", "")
    if hmac.compare_digest(want.encode(), proof.encode("latin-1")):
        return
    why = "the proof in its answer does not fit" if proof else "it turns the token down" if status == 401 else "its answer carries no proof"
    raise Refusal(
        f"whoever listens at {at.name} did not prove to be your console: {why} (status {status}); see what listens there, or mint a new token in the console: r, t, then N"
    )


def _read(status: int, got: dict[str, str], raw: bytes, correlation: str) -> tuple[int, dict[str, Any]]:
    """The answer as an object, once it is known to be the console's, to this call, and whole."""
    protocol, echoed = got.get("aoctl-protocol"), got.get("aoctl-correlation")
    if protocol is None:
        raise unreadable(f"something other than aoctl wrote it (status {status})")
    if protocol != PROTOCOL:
        raise unreadable(f"it is of protocol {protocol!r}, and this package speaks {PROTOCOL}")
    if echoed != correlation and not (echoed is None and status >= 400):
        raise unreadable("it is for another call")
    if got.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise unreadable("it is not JSON")
    answer = _parse(raw)
    if status in (200, 202):
        return status, answer
    told = answer.get("error") if status >= 400 else None
    message = told.get("message") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(message, str) or not message:
        raise unreadable(f"it has status {status} and no explanation")
    if told.get("code") == "shutting_down":
        raise Lost(message)
    raise Refusal(f"{message}; {told['hint']}" if told.get("hint") else message, told.get("code"))


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw.decode("utf-8"), parse_constant=_no_number, parse_float=_float)
    except (ValueError, RecursionError):
        raise unreadable("it is broken JSON") from None
    if not isinstance(answer, dict):
        raise unreadable("it is not a JSON object")
    return answer


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _float(text: str) -> float:
    """Another input must not run than the person read, so a number is what it says."""
    digits = re.sub(r"[eE].*|[-.]", "", text).lstrip("0")
    number = float(text)
    if len(digits) > 15 or number in (float("inf"), float("-inf")) or (number == 0) != (digits == ""):
        raise ValueError(text)
    return number
