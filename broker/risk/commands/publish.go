package commands

import (
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

const (
	publishes = "publishes a package"
	deploys   = "deploys"
)

// publishRules are about what others get to see at once and keep. A version that was published
// can hardly be taken back.
func publishRules() []rule {
	return []rule{
		{names: "npm pnpm yarn bun", sub: "publish|unpublish|deprecate", why: publishes},
		{names: "npm pnpm yarn", sub: "dist-tag|owner|access|team add|rm|grant|revoke|public|restricted|set|create|destroy", why: publishes},
		// A script may be called anything, but these names are meant.
		{names: "npm yarn pnpm bun", sub: "run|npm publish|release|deploy", why: publishes},
		{names: "make gmake just task rake mage", when: word("deploy", "publish", "upload", "ship"), why: deploys},
		{names: "lerna", sub: "publish", why: publishes},
		{names: "changeset", sub: "publish", why: publishes},
		{names: "npx pnpx bunx", sub: "changeset|lerna|vsce|ovsx|semantic-release|@vscode/vsce|jsr publish", why: publishes},
		{names: "semantic-release np release-it", when: without("--dry-run", "-d"), why: publishes},
		{names: "cargo", sub: "publish|yank|owner", when: notDry, why: publishes},
		{names: "twine", sub: "upload", why: publishes},
		{names: "poetry uv flit hatch pdm maturin rye", sub: "publish|upload", when: notDry, why: publishes},
		{names: "python", when: func(a cmdline.Command) bool { return a.Exactly("setup.py") && a.Exactly("upload", "register") }, why: publishes},
		{names: "python", when: func(a cmdline.Command) bool { return a.Exactly("twine") && a.Exactly("upload") }, why: publishes},
		{names: "gem", sub: "push|yank|owner", why: publishes},
		{names: "docker podman nerdctl buildah", sub: "push", why: publishes},
		{names: "docker podman", sub: "image|manifest|compose push", why: publishes},
		{names: "docker podman", when: func(a cmdline.Command) bool { return a.Exactly("build", "buildx") && a.Exactly("--push") }, why: publishes},
		{names: "helm oras crane ko", sub: "push|cm-push|publish|delete|apply", why: publishes},
		{names: "skopeo", sub: "copy|delete|sync", why: publishes},
		{names: "gh glab", sub: "release create|edit|upload|delete", why: publishes},
		{names: "gh", sub: "gist create|edit", why: "publishes text"},
		{names: "gh", sub: "repo create|new", when: option("--push", "--public"), why: "publishes a repository"},
		{names: "mvn mvnw", when: word("deploy", "deploy:deploy", "release:perform"), why: publishes},
		{names: "gradle gradlew", when: anyWord(publishTask), why: publishes},
		{names: "sbt", when: anyWord(publishTask), why: publishes},
		{names: "goreleaser", sub: "release", when: without("--snapshot", "--skip-publish"), why: publishes},
		{names: "vsce ovsx jsr deno wasm-pack", sub: "publish|unpublish", when: notDry, why: publishes},
		{names: "dotnet nuget", sub: "push", why: publishes},
		{names: "dotnet", sub: "nuget push|delete", why: publishes},
		{names: "pod", sub: "trunk push", why: publishes},
		{names: "dart flutter", sub: "pub publish", when: notDry, why: publishes},
		{names: "mix", when: word("hex.publish"), why: publishes},
		{names: "luarocks conda anaconda", sub: "upload", why: publishes},
	}
}

// notDry reports whether a command does what it says: --dry-run has to be there for sure.
func notDry(a cmdline.Command) bool { return !a.Surely("--dry-run", "-n") }

// publishTask reports whether a build's task publishes to others, not only to the
// machine's own cache.
func publishTask(w string) bool {
	task := pathtable.Fold(w[strings.LastIndexByte(w, ':')+1:])
	return strings.HasPrefix(task, "publish") && !strings.Contains(task, "local") || task == "uploadarchives"
}
