import http.client, json, os, socket, subprocess, time, uuid

SOCKET = os.environ.get("AOCTL_SOCKET", os.path.expanduser("~/.local/state/aoctl/broker.sock"))
SESSION = str(uuid.uuid4())


class Console(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(40)
        self.sock.connect(SOCKET)


def api(path, body=None):
    """Status and answer; raises OSError or HTTPException when there is none."""
    console = Console("aoctl")
    try:
        console.request("POST" if body is not None else "GET", path, None if body is None else json.dumps(body))
        answer = console.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        console.close()


def wait(request_id, until):
    """The answer, over as many connections as it takes; raises PermissionError without one."""
    while time.monotonic() < until:
        try:
            status, answer = api(f"/approval-requests/{request_id}/decision?timeout=25")
        except (OSError, http.client.HTTPException):  # the console restarts: the question is still there
            time.sleep(1)
            continue
        if status == 200:
            return answer
        if status != 202:
            raise PermissionError(f"the console answers with status {status}")
    raise PermissionError("nobody answered in time")


def ask(tool, cwd=None, timeout=600, **input):
    """The input to run with; whatever it raises means that the call must not run."""
    request_id = str(uuid.uuid4())
    question = {"request_id": request_id, "session_id": SESSION, "agent": "nightly", "tool_name": tool,
                "tool_input": input, "cwd": cwd or os.getcwd(), "timeout": timeout}
    try:
        status, answer = api("/create-approval-request", question)
        if status != 200:
            raise PermissionError(answer["error"]["message"])
        answer = wait(request_id, time.monotonic() + timeout)
    except BaseException:  # also ctrl+c: nobody waits any more, so the card is to close
        try:
            api(f"/approval-requests/{request_id}/cancel", {"reason": "the agent does not wait any more"})
        except Exception:
            pass
        raise
    if answer.get("decision") != "allow" or answer.get("request_id") != request_id:
        raise PermissionError(answer.get("reason", "refused"))
    return answer.get("updated_input") or input


def stopped():
    return api(f"/check-stop/{SESSION}")[1]["stop_requested"]


def tell(event_type, **more):
    status, _ = api("/events", {"event_type": event_type, "session_id": SESSION, "agent": "nightly", **more})
    if status != 200:
        raise PermissionError(f"the console answers with status {status}")


tell("session_start")
for command in ["echo one", "echo two", "echo three"]:
    try:
        subprocess.run(ask("Bash", command=command)["command"], shell=True)
    except PermissionError as refused:
        print("refused:", refused, flush=True)
    if stopped():
        print("stopped", flush=True)
        break
tell("session_stop")
