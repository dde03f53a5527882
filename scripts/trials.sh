#!/usr/bin/env bash
# Runs everything that finds by chance or by the clock, one after the other, in about so
# many minutes (60) on two cores, and prints one line each: what CI leaves out, so that its
# verdict is always the same. For a machine that does nothing else meanwhile, and a terminal
# that stays: whose a process is cannot be told once what started it has ended.
#
#   scripts/trials.sh [MINUTES]
#   scripts/trials.sh 10 crash presses    only these; the list is at the end
#
# Exits with 1 when one FAILED. VOID is a trial that the machine was too busy for. What each
# of them printed is kept in the folder that the first line names. Agents that are not
# installed yet are installed from npm. docs/testing.md says what each trial is about.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
minutes=60
if (($#)) && [[ $1 =~ ^[0-9]+$ ]]; then
	minutes=$1
	shift
fi
((minutes > 0)) || {
	echo "usage: scripts/trials.sh [MINUTES] [TRIAL…]" >&2
	exit 2
}
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-trials.XXXXXX")
. scripts/internal/tools.sh

# part N is N sixtieths of the time, in seconds; at least one.
part() { echo $((minutes * $1 > 0 ? minutes * $1 : 1)); }

# Rapid's properties, with draws of their own, and each hostile text on each screen in each window.
trial_draws() {
	local -a packages
	mapfile -t packages < <(go list -f '{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}}{{end}}{{end}}
{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}}{{$.ImportPath}}{{end}}{{end}}' ./... | sort -u | grep .)
	AOCTL_EVERY=1 go test -count=1 -run TestNothingHostile ./tui
	go test -count=1 -timeout 60m "${packages[@]}" -rapid.seed=0 -rapid.nofailfile=false -rapid.checks=$(($(part 3) * 2))
}

# Everything again and again with the race detector, in another order each time.
trial_again() { go test -race -shuffle=on -count=$((1 + $(part 6) / 600)) -timeout 90m ./...; }

trial_fuzz() {
	local targets
	targets=$(cat $(git ls-files '*_test.go') | grep -c '^func Fuzz')
	scripts/fuzz.sh $((1 + $(part 4) / targets))s
}
trial_sim() { scripts/sim.sh -from "$RANDOM$RANDOM" -minutes "$(awk "BEGIN{print $(part 3) / 60}")"; }
trial_robustness() { scripts/robustness.sh -minutes "$(awk "BEGIN{print $(part 5) / 60}")"; }
trial_crash() { scripts/crash.sh $((1 + $(part 4) * 2)); }
trial_faults() { scripts/faults.sh; }
trial_presses() { scripts/presses.sh $((10 + $(part 3) * 4)); }
trial_load() { scripts/load.sh -minutes "$(awk "BEGIN{print $(part 2) / 60}")"; }
trial_fleet() { scripts/fleet.sh -machines 24 -sessions 200 -calls $((200 + $(part 4) * 10)); }
trial_threats() { scripts/threats.sh -n $((1 + $(part 5) / 15)); }
trial_verdicts() { scripts/verdicts.sh -q -n $(($(part 3) * 5)); }
trial_agents() {
	all_agents
	scripts/verdicts.sh -agents -n $((10 + $(part 8) / 8))
}
# The agents only wait, beside all other trials; a run of less than half an hour has no time for it.
trial_waits() {
	all_agents
	if ((minutes >= 30)); then
		scripts/waits.sh
	else
		scripts/waits.sh -minutes 2 -more 0
	fi
}
trial_shells() {
	need "${SHELLS[@]}"
	scripts/shells.sh -lines $(($(part 5) * 200))
}
trial_mutate() { scripts/mutate.sh -n $((5 + $(part 5) / 40)); }
trial_widths() {
	need tmux=tmux xterm=xterm xvfb-run=xvfb
	scripts/widths.sh -n $(($(part 2) * 1000))
}
trial_effects() { scripts/effects.sh; }
trial_bench() { scripts/bench.sh; }

all=(draws again fuzz sim robustness crash faults presses load fleet threats verdicts agents shells effects mutate widths bench waits)
if (($#)); then
	for name in "$@"; do
		declare -F "trial_$name" >/dev/null || {
			echo "no trial '$name'; there are: ${all[*]}" >&2
			exit 2
		}
	done
	all=("$@")
fi
need strace=strace tmux=tmux
echo "$minutes minutes of trials on $(nproc) cores; what they print: $SCRATCH"

# try runs one trial and prints its line; 1 when it failed.
try() {
	local began=$SECONDS code=0 said=FAILED
	(
		set -e
		"trial_$1"
	) </dev/null >"$SCRATCH/$1" 2>&1 || code=$?
	case $code in
	0) said=passed ;;
	3) said=VOID ;;
	esac
	printf '%-11s %-6s %5d s  %s\n' "$1" "$said" $((SECONDS - began)) "$(grep . "$SCRATCH/$1" | tail -n 1 | cut -c -150)"
	[[ $said != FAILED ]]
}

bad=0
waits=
for name in "${all[@]}"; do
	[[ $name != waits ]] || { try waits & waits=$!; }
done
for name in "${all[@]}"; do
	[[ $name == waits ]] || try "$name" || bad=1
done
[[ -z $waits ]] || wait "$waits" || bad=1
exit "$bad"
