#!/bin/sh
SOCKET=${AOCTL_SOCKET:-$HOME/.local/state/aoctl/broker.sock}
SESSION=nightly-$$

api() { # api PATH [JSON]: $answer is that of a 200 or 202; everything else fails
	path=$1 && shift
	[ $# -eq 0 ] || set -- -d "$1"
	answer=$(curl -s -m 40 --unix-socket "$SOCKET" -w '%{http_code}' "$@" "http://aoctl$path") || return
	code=${answer#"${answer%???}"} answer=${answer%???}
	[ "$code" = 200 ] || [ "$code" = 202 ]
}

said() { printf %s "$answer" | jq -r "$@"; }

takeback() { curl -s -m 2 --unix-socket "$SOCKET" -d '{}' "http://aoctl/approval-requests/$id/cancel" >/dev/null; }

ask() { # ask COMMAND: $allowed is the command to run; fails unless it may run
	n=$((n + 1)) id=$SESSION.$n allowed=
	trap 'takeback; exit 130' INT TERM
	api /create-approval-request "$(jq -cn --arg id "$id" --arg s "$SESSION" --arg c "$1" --arg d "$PWD" \
		'{request_id: $id, session_id: $s, agent: "nightly", tool_name: "Bash", tool_input: {command: $c}, cwd: $d}')" || return
	while api "/approval-requests/$id/decision?timeout=5"; do
		[ "$code" = 200 ] || continue
		trap - INT TERM
		if [ "$(said .decision)" = allow ] && [ "$(said .request_id)" = "$id" ]; then
			allowed=$(said --arg c "$1" '.updated_input.command // $c')
			return
		fi
		echo "refused: $(said .reason)"
		return 1
	done
	takeback
	return 1
}

stopped() { api "/check-stop/$SESSION" && [ "$(said .stop_requested)" = true ]; }

api /events "{\"event_type\":\"session_start\",\"session_id\":\"$SESSION\",\"agent\":\"nightly\"}" || exit 1
for command in 'echo one' 'echo two' 'echo three'; do
	ask "$command" && sh -c "$allowed"
	if stopped; then
		echo stopped
		break
	fi
done
api /events "{\"event_type\":\"session_stop\",\"session_id\":\"$SESSION\",\"agent\":\"nightly\"}"
