#!/usr/bin/env bash
# Has each real agent, in its most permissive mode, wait for a call that nobody answers: 11
# minutes, then 25 with more time given in between; all agents at the same time. A file that
# the call would leave is the witness. Prints a line an agent, and ends with 1 when a call
# ran unasked, or when an agent shows nothing.
#
#   scripts/waits.sh [-minutes 11] [-more 25] [-agent NAME]...
#
# 0 leaves one out. AOCTL_E2E_CLAUDE, …_CODEX, …_GEMINI, …_QWEN, …_OPENCODE and …_COPILOT name
# the agents' programs, AOCTL_E2E_CURSOR the folder of @cursor/sdk; else they are looked for on
# the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-waits-driver.XXXXXX")
trap 'rm -rf "$built"' EXIT
go build -o "$built/waits" ./scripts/waits
go build -o "$built/aoctl" .
CGO_ENABLED=0 go build -o "$built/aoctl-hook" ./hookclient/aoctl-hook
"$built/waits" -aoctl "$built/aoctl" "$@"
