#!/usr/bin/env python3
"""Asks in Slack whether a call may run.

    elsewhere-slack.py ask       for --on-wait: posts the call with two buttons
    elsewhere-slack.py listen    hears of the buttons, and tells aoctl; run it in a terminal of yours

SLACK_TOKEN is a bot's (chat:write), SLACK_CHANNEL where it posts, SLACK_SECRET the app's signing secret,
SLACK_USER whose answer counts, AOCTL_SOCKET aoctl's socket. Slack must reach PORT on this machine (a
tunnel); that is the app's interactivity request URL.
"""
import hashlib, hmac, http.client, http.server, json, os, re, socket, sys, time, urllib.parse, urllib.request

API = os.environ.get("SLACK_API", "https://slack.com/api")
SOCKET = os.environ.get("AOCTL_SOCKET") or os.path.expanduser("~/.local/state/aoctl/broker.sock")


def ask():
    call = json.load(sys.stdin)
    text = call["agent"] + ": " + call["tool_name"] + " " + json.dumps(call["tool_input"])[:2000]
    blocks = [{"type": "section", "text": {"type": "plain_text", "text": text}}]
    if "token" in call:  # a dangerous call has none: look at it in the console
        value = call["id"] + " " + call["token"]
        buttons = [
            {"type": "button", "action_id": word, "text": {"type": "plain_text", "text": word}, "value": value}
            for word in ("allow", "deny")
        ]
        blocks.append({"type": "actions", "elements": buttons})
    body = json.dumps({"channel": os.environ["SLACK_CHANNEL"], "text": text, "blocks": blocks}).encode()
    headers = {"Authorization": "Bearer " + os.environ["SLACK_TOKEN"], "Content-Type": "application/json; charset=utf-8"}
    with urllib.request.urlopen(urllib.request.Request(API + "/chat.postMessage", body, headers), timeout=20) as answer:
        said = json.load(answer)
    if not said["ok"]:
        sys.exit(said["error"])


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


def signed(headers, body):
    at = headers.get("X-Slack-Request-Timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    code = hmac.new(os.environ["SLACK_SECRET"].encode(), b"v0:" + at.encode() + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest("v0=" + code, headers.get("X-Slack-Signature", ""))


class Buttons(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
        if not signed(self.headers, body):
            return self.send_error(401)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        pressed = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
        if pressed["user"]["id"] != os.environ["SLACK_USER"]:
            return
        for action in pressed["actions"]:
            said = re.fullmatch(r"([\w.:-]+) (aoctl_once_[a-z0-9]+)", action.get("value", ""))
            if said and action["action_id"] in ("allow", "deny"):
                decide(action["action_id"], *said.groups())

    def log_message(self, *_):
        pass


def listen():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Buttons)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()


{"ask": ask, "listen": listen}[sys.argv[1]]()
