#!/usr/bin/env bash
# Runs both hook clients, and the runner with a stand-in for its agent, under every fault
# that could open the gate, prints what an agent would make of each (DENY, ALLOW, ASK or
# OPEN), then N runs (1000) that mix those of the hook clients.
# Ends with 1 when one is OPEN, or anything else than it must be.
#
#   scripts/verdicts.sh [-n NUMBER] [-seed NUMBER] [-only TEXT] [-q]
#   scripts/verdicts.sh -agents [-n NUMBER] [-only TEXT] [-q]
#
# With -agents, the real agents make a call under (the first NUMBER of) the faults, headless,
# in their terminal interface and for an editor, and a file that the call would leave is the
# witness. AOCTL_E2E_CLAUDE, …_CODEX, …_GEMINI, …_QWEN, …_OPENCODE and …_COPILOT name their
# programs, AOCTL_E2E_CURSOR the folder of @cursor/sdk; else they are looked for on the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-verdicts-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/verdicts" ./scripts/verdicts
mkdir "$built/alone" "$built/beside" "$built/standin"
go build -o "$built/alone/aoctl" .
cp "$built/alone/aoctl" "$built/beside/aoctl"
CGO_ENABLED=0 go build -o "$built/beside/aoctl-hook" ./hookclient/aoctl-hook
CGO_ENABLED=0 go build -o "$built/standin/claude" ./scripts/standin/claude
# A client of which the clock on the wall jumps, 100 ms after its start, by as many seconds
# as AOCTL_TRIAL_STEP says: the standard library with two lines more.
mkdir "$built/stepped"
goroot=$(go env GOROOT)
sed '/^func Now() Time {/,/^}/s/sec, nsec, mono := runtimeNow()/&\n\tsec += trialStep(mono)/' "$goroot/src/time/time.go" >"$built/stepped/time.go"
cat >"$built/stepped/step.go" <<'GO'
package time

import "syscall"

var trialSeconds = func() (n int64) {
	text, _ := syscall.Getenv("AOCTL_TRIAL_STEP")
	for _, c := range text {
		if c != '-' {
			n = 10*n + int64(c-'0')
		}
	}
	if text != "" && text[0] == '-' {
		n = -n
	}
	return n
}()

func trialStep(mono int64) int64 {
	if mono-startNano < 100_000_000 {
		return 0
	}
	return trialSeconds
}
GO
printf '{"Replace":{"%s/src/time/time.go":"%s/stepped/time.go","%s/src/time/step.go":"%s/stepped/step.go"}}' \
	"$goroot" "$built" "$goroot" "$built" >"$built/stepped/overlay.json"
CGO_ENABLED=0 go build -trimpath -overlay "$built/stepped/overlay.json" -o "$built/stepped/aoctl-hook" ./hookclient/aoctl-hook

if [[ ${1-} == -agents ]]; then
	shift
	found=0
	for agent in claude codex gemini qwen opencode copilot cursor; do
		named=AOCTL_E2E_${agent^^}
		program=${!named-}
		[[ -n $program ]] || program=$(command -v "$agent") || { echo "$agent: not found, so not tried"; continue; }
		set -- -agent "$agent=$program" "$@"
		found=1
	done
	((found)) || { echo "no agent was found" >&2; exit 1; }
fi
"$built/verdicts" -programs "$built" "$@"
