package risk

import (
	"sync"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// writes are files that make something run, or open something, once they are changed. The
// patterns are those of pathtable.Rows; the first entry that fits gives the reason.
var writes = sync.OnceValue(func() *pathtable.Table {
	return pathtable.New(
		pathtable.Rows("changes a shell start-up file",
			"~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases", "~/.bashrc.d/", "~/.profile",
			"~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout", "~/.zsh/", "~/.oh-my-zsh/", "~/.config/fish/",
			"~/.config/zsh/", "~/.config/bash/", "~/.inputrc", "~/.kshrc", "~/.cshrc", "~/.tcshrc", "~/.login", "~/.xprofile",
			"~/.xinitrc", "~/.xsessionrc", "~/.tmux.conf", "~/.config/tmux/", "~/.screenrc", "~/.pam_environment",
			"~/.config/environment.d/", "/etc/profile", "/etc/profile.d/", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh/",
			"/etc/zshrc", "/etc/zshenv", "/etc/environment"),
		pathtable.Rows("schedules a program for later",
			"~/.config/autostart/", "~/.config/systemd/", "~/.local/share/systemd/", "~/Library/LaunchAgents/",
			"/Library/LaunchAgents/", "/Library/LaunchDaemons/", "/etc/systemd/", "/etc/cron*/", "/etc/crontab",
			"/var/spool/cron/", "/var/spool/at/", "/etc/init.d/", "/etc/rc.local", "/etc/xdg/autostart/"),
		pathtable.Rows("changes keys or credentials",
			".ssh/", ".gnupg/", ".aws/", ".kube/config", ".docker/config.json", "~/.netrc", ".git-credentials", "~/.pypirc",
			"~/.config/gcloud/", "~/.azure/", "~/.config/gh/", "/etc/shadow", "/etc/passwd", "/etc/sudoers", "/etc/sudoers.d/",
			"/etc/pam.d/"),
		pathtable.Rows("changes what git runs",
			"~/.gitconfig", "~/.config/git/", ".git/hooks/", "*.git/hooks/", ".git/config", ".git/config.worktree",
			".git/info/attributes", ".git/modules/", "*.git/config", "/etc/gitconfig"),
		pathtable.Rows("changes a setting that can run code",
			"~/.vimrc", "~/.vim/", "~/.config/nvim/", "~/.emacs", "~/.emacs.d/", "~/.config/emacs/", "~/.nanorc", "~/.npmrc",
			"~/.yarnrc*", "~/.bunfig.toml", "~/.config/pip/", "~/.pip/", "pip.conf", "~/.condarc", ".cargo/config",
			".cargo/config.toml", "~/.gdbinit", "~/.lldbinit", "~/.irbrc", "~/.pryrc", "~/.curlrc", "~/.wgetrc", "~/.envrc",
			".envrc", "~/.config/direnv/", "~/.direnvrc", "~/.m2/settings.xml", "~/.gradle/init.gradle", "~/.gradle/init.d/",
			"~/.gradle/gradle.properties", "~/.config/Code/User/", "~/Library/Application Support/Code/User/", "~/.vscode/",
			"~/.config/mise/", "~/.asdfrc", "~/.config/zed/", "~/.config/helix/", "sitecustomize.py", "usercustomize.py"),
		pathtable.Rows("puts a program where others find it",
			"~/.local/bin/", "~/bin/", "~/.cargo/bin/", "~/go/bin/", "~/.bun/bin/", "~/.deno/bin/"),
	)
})

// notes are files of a project that a person should look at twice. They are everyday work, so
// they are Normal.
var notes = sync.OnceValue(func() *pathtable.Table {
	return pathtable.New(
		pathtable.Rows("changes what CI runs", ".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".circleci/", "Jenkinsfile", ".travis.yml",
			"azure-pipelines.yml"),
		pathtable.Rows("changes what the editor runs", ".vscode/tasks.json", ".vscode/settings.json", ".vscode/launch.json", ".idea/", ".devcontainer/", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", "*.code-workspace"),
		pathtable.Rows(changesHooks, ".husky/", ".githooks/", ".git-hooks/", "githooks/", ".pre-commit-config.yaml", "lefthook.yml", ".gitattributes", ".gitmodules"),
		pathtable.Rows("changes git's own files", ".git/"),
		pathtable.Rows("changes what other repositories run", ".hg/", ".jj/", ".svn/", ".lfsconfig", ".gitconfig"),
		pathtable.Rows("changes what a program runs when it starts",
			".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".xprofile", ".xinitrc", ".inputrc", ".tmux.conf", ".screenrc",
			".vimrc", ".gvimrc", ".ideavimrc", ".emacs", ".nanorc", ".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".Rprofile", ".psqlrc", ".sqliterc", ".curlrc", ".wgetrc", ".ackrc", ".proverc", ".bazelrc", ".gemrc",
			".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", ".mise/", ".direnv/"),
		pathtable.Rows("changes what installing runs", ".npmrc", ".yarnrc*", ".bundle/config"),
		pathtable.Rows("changes secrets of the project", ".env", ".env.*"),
	)
})
