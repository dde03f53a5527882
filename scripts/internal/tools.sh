# Programs that checks need and that no Go module brings: the system's, and the real agents
# in the versions that aoctl is tried with. Scripts read this file in; they set SCRATCH, a
# folder that they take away. Read in a terminal, "all_agents" names the agents for go test.
#
# Agents are installed once into ${XDG_CACHE_HOME:-$HOME/.cache}/aoctl-ci and used again.

readonly CLAUDE_CODE=2.1.329
readonly CODEX=0.169.0
readonly GEMINI_CLI=0.61.0
readonly QWEN_CODE=0.24.4
readonly COPILOT_CLI=1.0.102
readonly OPENCODE=1.18.33
readonly CURSOR_SDK=1.0.32
readonly AGENT_SDK=0.3.329   # of the same Claude Code
readonly TYPESCRIPT=5.9.3
readonly SHELLS=(gcc=gcc,libc6-dev bash=bash dash=dash zsh=zsh busybox=busybox mksh=mksh) # whose reading of a line counts
readonly CACHE="${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/aoctl-ci"

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# apt_get runs apt-get as root, or says what somebody else must run.
apt_get() {
	local -a as_root=(env DEBIAN_FRONTEND=noninteractive)
	if ((EUID != 0)); then
		command -v sudo >/dev/null || die "not root, and no sudo; please run: apt-get $*"
		as_root=(sudo -n "${as_root[@]}")
	fi
	"${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

# need PROGRAM=PACKAGE[,PACKAGE]... installs the packages of programs that are not there.
need() {
	local pair
	local -a missing=() packages
	for pair in "$@"; do
		command -v "${pair%%=*}" >/dev/null && continue
		IFS=, read -ra packages <<<"${pair#*=}"
		missing+=("${packages[@]}")
	done
	((${#missing[@]})) || return 0
	command -v apt-get >/dev/null || die "please install: ${missing[*]}"
	echo "installing ${missing[*]}"
	apt_get update
	apt_get install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# npm_package NAME PACKAGE VERSION [OPTION]... installs an agent unless the cache has it, and
# prints its folder. npm gets the options.
npm_package() {
	local dir="$CACHE/$1-$3" wanted="$2@$3"
	if [[ ! -d $dir ]]; then
		echo "installing $2 $3, once" >&2
		shift 3
		rm -rf "$dir.new"
		mkdir -p "$dir.new"
		# Node brings certificates of its own; those that the system trusts count as well.
		local system=/etc/ssl/certs/ca-certificates.crt
		[[ ! -r $system ]] || local -x NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$system}
		npm install --prefix "$dir.new" --no-audit --no-fund --loglevel=error "$@" "$wanted" >&2
		mv "$dir.new" "$dir"
	fi
	echo "$dir"
}

# agent NAME VERSION PROGRAM... prints the first of the programs that is of that version.
agent() {
	local name=$1 version=$2 program
	shift 2
	for program in "$@"; do
		if HOME=$SCRATCH "$program" --version 2>/dev/null | grep -qF "$version"; then
			echo "$program"
			return
		fi
	done
	die "$name $version does not start; remove its folder in $CACHE and try again"
}

claude_code() {
	local dir
	dir=$(npm_package claude-code @anthropic-ai/claude-code "$CLAUDE_CODE")
	# npm may refuse to run the package's install script; the program itself is there then too.
	agent "Claude Code" "$CLAUDE_CODE" "$dir"/node_modules/.bin/claude "$dir"/node_modules/@anthropic-ai/claude-code-*/claude
}

codex() {
	local dir
	dir=$(npm_package codex @openai/codex "$CODEX")
	agent Codex "$CODEX" "$dir/node_modules/.bin/codex"
}

gemini_cli() {
	local dir
	dir=$(npm_package gemini-cli @google/gemini-cli "$GEMINI_CLI")
	agent "Gemini CLI" "$GEMINI_CLI" "$dir/node_modules/.bin/gemini"
}

qwen_code() {
	local dir
	dir=$(npm_package qwen-code @qwen-code/qwen-code "$QWEN_CODE")
	agent "Qwen Code" "$QWEN_CODE" "$dir/node_modules/.bin/qwen"
}

copilot_cli() {
	local dir
	dir=$(npm_package copilot @github/copilot "$COPILOT_CLI")
	agent "Copilot CLI" "$COPILOT_CLI" "$dir/node_modules/.bin/copilot"
}

opencode() {
	local dir
	dir=$(npm_package opencode opencode-ai "$OPENCODE")
	agent opencode "$OPENCODE" "$dir/node_modules/.bin/opencode"
}

# cursor_sdk prints the folder of Cursor's own package that runs its agents.
cursor_sdk() {
	local dir
	dir=$(npm_package cursor-sdk @cursor/sdk "$CURSOR_SDK")/node_modules/@cursor/sdk
	grep -qF "\"version\": \"$CURSOR_SDK\"" "$dir/package.json" || die "no @cursor/sdk $CURSOR_SDK in $dir; remove it and try again"
	echo "$dir"
}

# agent_sdk prints the folder of Claude's Agent SDK. The Claude Code that it would bring as an
# option is left out: the tests give it the one above.
agent_sdk() {
	local dir
	dir=$(npm_package agent-sdk @anthropic-ai/claude-agent-sdk "$AGENT_SDK" --omit=optional)/node_modules/@anthropic-ai/claude-agent-sdk
	grep -qF "\"version\": \"$AGENT_SDK\"" "$dir/package.json" || die "no Agent SDK $AGENT_SDK in $dir; remove it and try again"
	echo "$dir"
}

# typescript prints the path of the compiler that checks the types of clients/js.
typescript() {
	local dir
	dir=$(npm_package typescript typescript "$TYPESCRIPT")
	agent TypeScript "$TYPESCRIPT" "$dir/node_modules/.bin/tsc"
}

# all_agents names every agent's program, or the package of Cursor and of the Agent SDK, in the
# AOCTL_E2E_ variables that tests and trials read.
all_agents() {
	export AOCTL_E2E_CLAUDE AOCTL_E2E_CODEX AOCTL_E2E_GEMINI AOCTL_E2E_QWEN AOCTL_E2E_COPILOT AOCTL_E2E_OPENCODE AOCTL_E2E_CURSOR AOCTL_E2E_AGENT_SDK AOCTL_E2E_TSC
	AOCTL_E2E_CLAUDE=$(claude_code)
	AOCTL_E2E_CODEX=$(codex)
	AOCTL_E2E_GEMINI=$(gemini_cli)
	AOCTL_E2E_QWEN=$(qwen_code)
	AOCTL_E2E_COPILOT=$(copilot_cli)
	AOCTL_E2E_OPENCODE=$(opencode)
	AOCTL_E2E_CURSOR=$(cursor_sdk)
	AOCTL_E2E_AGENT_SDK=$(agent_sdk)
	AOCTL_E2E_TSC=$(typescript)
}
