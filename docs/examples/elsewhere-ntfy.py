#!/usr/bin/env python3
"""Asks on a phone, over ntfy, whether a call may run.

    elsewhere-ntfy.py ask       for --on-wait: publishes the call with two buttons
    elsewhere-ntfy.py listen    waits for the buttons, and tells aoctl; run it in a terminal of yours

NTFY is the server, NTFY_ASK and NTFY_REPLY two topics that nobody guesses, AOCTL_SOCKET aoctl's socket.
A button publishes to the reply topic, so no port is open here.
"""
import http.client, json, os, re, socket, sys, urllib.request

NTFY = os.environ.get("NTFY", "https://ntfy.sh")
SOCKET = os.environ.get("AOCTL_SOCKET") or os.path.expanduser("~/.local/state/aoctl/broker.sock")


def publish(message):
    request = urllib.request.Request(NTFY, json.dumps(message).encode())
    urllib.request.urlopen(request, timeout=20).close()


def ask():
    call = json.load(sys.stdin)
    message = {
        "topic": os.environ["NTFY_ASK"],
        "title": call["agent"] + ": " + call["tool_name"],
        "message": json.dumps(call["tool_input"])[:2000],
    }
    if "token" in call:  # a dangerous call has none: look at it in the console
        message["actions"] = [
            {
                "action": "http",
                "label": word.capitalize(),
                "url": NTFY + "/" + os.environ["NTFY_REPLY"],
                "body": " ".join([word, call["id"], call["token"]]),
                "clear": True,
            }
            for word in ("allow", "deny")
        ]
    publish(message)


class Broker(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(SOCKET)


def decide(word, call, token):
    broker = Broker("aoctl", timeout=20)
    headers = {"Authorization": "Bearer " + token}
    broker.request("POST", f"/approval-requests/{call}/decide", json.dumps({"decision": word}), headers)
    answer = json.load(broker.getresponse())
    print(call, answer.get("status") or answer["error"]["message"], flush=True)


def listen():
    with urllib.request.urlopen(NTFY + "/" + os.environ["NTFY_REPLY"] + "/json") as replies:
        for line in replies:
            said = re.fullmatch(r"(allow|deny) ([\w.:-]+) (aoctl_once_[a-z0-9]+)", json.loads(line).get("message", ""))
            if said:
                decide(*said.groups())


{"ask": ask, "listen": listen}[sys.argv[1]]()
