#!/usr/bin/env bash
# Prints the demo's console as text, the way the README shows it. Needs tmux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-screenshot.XXXXXX")
server=aoctl-screenshot-$$
trap 'tmux -L "$server" kill-server 2>/dev/null || true; rm -rf "$built"' EXIT
go build -o "$built/aoctl" .
tmux -L "$server" -f /dev/null new-session -d -x 100 -y 24 "$built/aoctl demo --no-bell"
screen() { tmux -L "$server" capture-pane -p; }
for _ in $(seq 100); do
	screen | grep -q terraform && break
	sleep 0.1
done
sleep 1
tmux -L "$server" send-keys j # to the edit
sleep 0.5
screen
tmux -L "$server" send-keys q
sleep 1
tmux -L "$server" send-keys q
for _ in $(seq 50); do # the demo takes its folder away
	tmux -L "$server" has-session 2>/dev/null || break
	sleep 0.1
done
