#!/usr/bin/env bash
# Runs every fuzz target:
#
#   scripts/fuzz.sh 1000x    so many inputs each, always the same ones, made of those in the
#                            repository
#   scripts/fuzz.sh 20s      so long each, with a new seed, and inputs of earlier runs; what
#                            reaches new code is changed further
#
# An input that fails is written below the package's testdata/fuzz. Each package is built
# once for all its targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ ${1-} =~ ^[0-9]+[xsmh]$ ]] || {
	echo "usage: scripts/fuzz.sh 1000x | 20s" >&2
	exit 2
}
much=$1
built=$(mktemp -d "${TMPDIR:-/tmp}/aoctl-fuzz.XXXXXX")
trap 'rm -rf "$built"' EXIT

# Go's fuzzing changes one input for a tenth of a second before it takes the next, and
# keeps what reached new code, which is never quite the same twice. For the same inputs
# each time it takes the next one after twenty, and keeps none.
build=(-fuzz=.)
if [[ $much == *x ]]; then
	whose=$(go env GOROOT)/src/internal/fuzz/fuzz.go
	sed '/^func (c \*coordinator) peekInput/,/^}/ {
		s|timeout: workerFuzzDuration,$||
		s|input.limit = c.opts.Limit / int64(c.opts.Parallel)$|input.limit = 20|
	}' "$whose" >"$built/fuzz.go"
	[[ $(diff "$whose" "$built/fuzz.go" | grep -c '^>') == 2 ]] || {
		echo "$(go version) fuzzes in another way than this script knows: look at $whose" >&2
		exit 1
	}
	printf '{"Replace": {"%s": "%s"}}' "$whose" "$built/fuzz.go" >"$built/overlay.json"
	build=(-overlay "$built/overlay.json")
fi

# fuzz FOLDER PACKAGE TARGET fuzzes one target of the package that $built/test was made of.
fuzz() {
	local says=$built/$3 code=0
	local -a how=(-test.fuzzcachedir "$(go env GOCACHE)/fuzz/$2")
	local -x GODEBUG=${GODEBUG-}
	if [[ $much == *x ]]; then
		how=(-test.fuzzcachedir "$built/corpus-$3" -test.parallel 1)
		GODEBUG=fuzzseed=1
	fi
	(cd "$1" && "$built/test" -test.run '^$' -test.fuzz "^$3\$" -test.fuzztime "$much" "${how[@]}") >"$says" 2>&1 || code=$?
	# The go tool at times takes the end of the time itself for a failure, and then names no input.
	if ((code == 0)) || grep -q 'context deadline exceeded' "$says" && ! grep -q 'Failing input' "$says"; then
		echo "${2##*/aoctl/} $3: $(grep -o 'execs: [0-9]*' "$says" | tail -n 1)"
		return
	fi
	echo "${2##*/aoctl/} $3: FAILED"
	tail -n 40 "$says"
	return 1
}
export -f fuzz
export built much

# A target with a fixed number of inputs has one worker: some run side by side.
at_once=1
[[ $much != *x ]] || at_once=$(nproc)
ran=0
bad=()
while read -r package folder; do
	targets=$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$folder"/*_test.go)
	[[ -n $targets ]] || continue
	go test -c "${build[@]}" -o "$built/test" "$package"
	ran=$((ran + $(wc -l <<<"$targets")))
	xargs -P "$at_once" -I{} bash -c 'fuzz "$@"' fuzz "$folder" "$package" {} <<<"$targets" || bad+=("$package")
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./...)
((ran)) || {
	echo "no fuzz target was found" >&2
	exit 1
}
((${#bad[@]} == 0)) || {
	echo "of $ran fuzz targets some failed, in ${bad[*]}"
	exit 1
}
echo "$ran fuzz targets, $much each: none failed"
