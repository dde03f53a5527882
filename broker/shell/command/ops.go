package command

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// hgOps: bisect tries a command again and again.
func hgOps(c *call) {
	for _, w := range c.words {
		if c.operand(0) == "bisect" && begins(w.Text, "-c", "--c") {
			c.unsuref("hg bisect runs a program again and again")
		}
	}
}

// dockerBuild: what is built may lie elsewhere.
func dockerBuild(c *call) {
	if slices.ContainsFunc(append(c.values("-f", "--file"), c.rest...), faraway) {
		c.exactf("%s takes files from outside of its folder", c.name)
	}
	if anyHolds(c.rest, "://", "@") || anyBegins(c.rest, "github.com/") {
		c.exactf("%s builds from an address", c.name)
	}
}

// dockerCopy: the operand without a colon is on this machine.
func dockerCopy(c *call) {
	for i, w := range c.rest {
		if !isRemote(w.Text) {
			c.file(w, File{Tree: true, Write: i > 0})
		}
	}
}

// kubeOps: what is taken from an address may be anything tomorrow.
func kubeOps(c *call) {
	c.farOperands()
	for _, w := range c.values("--from-file", "--from-env-file") {
		file := w.Text[strings.Index(w.Text, "=")+1:] // behind a key
		c.readsTree(tail(w, file))
	}
	for _, w := range append(c.rest, c.values("-o", "--output")...) {
		switch {
		case strings.Contains(w.Text, "://"):
			c.exactf("%s takes files from the network", c.name)
		case strings.Contains(w.Text, "-file=") || strings.HasPrefix(w.Text, "templatefile"):
			c.exactf("%s takes its format from a file", c.name)
		}
	}
}

// aptOps: a package given as a file comes from nobody.
func aptOps(c *call) {
	for _, w := range c.rest {
		if strings.ContainsAny(w.Text, "/") && strings.HasSuffix(w.Text, ".deb") || w.Text == "edit-sources" {
			c.exactf("%s takes a package from a file or opens an editor", c.name)
		}
	}
}

// awsOps: s3 cp, mv and sync carry files; file:// stands for the text of one.
func awsOps(c *call) {
	cloudOps(c)
	for i, w := range c.rest {
		switch {
		case begins(w.Text, "--endpoint", "--ca-", "--no-verify"):
			c.exactf("aws talks to another machine, or to one that it does not check")
		case i > 1 && (faraway(w) || strings.HasPrefix(w.Text, "-") && elsewhereIn(tail(w, afterEquals(w.Text)))):
			c.exactf("aws is given a file outside of its folder")
		}
	}
	words := c.rest
	if c.operand(1) == "update-kubeconfig" {
		c.exactf("aws changes settings")
	}
	if c.operand(0) == "configure" && c.operand(1) != "list" && c.operand(1) != "get" {
		c.exactf("aws configure changes settings")
	}
	// Only these take files of this machine as operands.
	carries := c.operand(0) == "s3" && (c.operand(1) == "cp" || c.operand(1) == "mv" || c.operand(1) == "sync")
	place := 0
	for i, w := range words {
		text := w.Text
		if strings.HasPrefix(text, "-") {
			text = afterEquals(text)
		}
		if path, ok := strings.CutPrefix(text, "file://"); ok {
			c.reads(tail(w, path))
		} else if path, ok = strings.CutPrefix(text, "fileb://"); ok {
			c.reads(tail(w, path))
		} else if strings.HasPrefix(w.Text, "--body=") || i > 0 && words[i-1].Text == "--body" {
			c.reads(tail(w, text))
		}
		if !carries || i < 2 || strings.HasPrefix(w.Text, "-") {
			continue
		}
		if place++; place <= 2 && !strings.HasPrefix(w.Text, "s3://") {
			c.file(w, File{Tree: true, Write: place == 2})
		}
	}
}

// gcloudOps: these change the tool itself.
func gcloudOps(c *call) {
	cloudOps(c)
	c.farOperands()
	if len(c.rest) > 1 && (c.rest[0].Text == "components" || c.rest[0].Text == "config" || c.rest[0].Text == "auth") {
		switch c.rest[1].Text {
		case "list", "get", "get-value", "describe", "configurations":
		default:
			c.exactf("gcloud changes settings or keys")
		}
	}
}

// ghRepo: what follows -- goes to git clone.
func ghRepo(c *call) {
	if c.ended {
		c.exactf("gh repo hands options to git")
	}
	if c.operand(0) == "create" && c.has("--push", "--source", "-s", "--public") {
		c.exactf("gh repo create publishes what is here")
	}
	if len(c.rest) > 2 && c.rest[0].Text == "clone" && faraway(c.rest[2]) {
		c.exactf("gh repo clone makes a folder elsewhere")
	}
}

// ghFiles: a text that is published should not come from elsewhere.
func ghFiles(c *call) {
	ghQuery(c)
	if slices.ContainsFunc(append(c.values("-F", "--body-file", "--notes-file"), c.rest...), faraway) {
		c.exactf("%s takes a file from elsewhere", c.name)
	}
	ghUploads(c)
}

// ghSends is, for subcommands that send files, how many operands stand before the files.
var ghSends = map[string]int{
	"gh gist create": 0, "gh gist new": 0, "gh gist edit": 1, "gh release upload": 1, "gh release create": 1, "gh release new": 1,
	"gh ssh-key add": 0, "gh gpg-key add": 0,
}

// ghUploads reads the files that are sent; #NAME behind one is how it is shown. Secrets and
// variables may stand in a file, and the value of a field may come from one.
func ghUploads(c *call) {
	if len(c.rest) == 0 {
		return
	}
	if skip, ok := ghSends[c.name+" "+c.rest[0].Text]; ok && len(c.rest) > skip {
		for _, w := range c.rest[skip+1:] {
			file, _, _ := strings.Cut(w.Text, "#")
			c.reads(tail(w, file))
		}
	}
	for i, w := range c.words {
		name, file, has := strings.Cut(w.Text, "=")
		if !has && i+1 < len(c.words) {
			file = c.words[i+1].Text
		}
		// gh's letters mean one thing in one subcommand and another in the next.
		switch c.name + " " + name {
		case "gh secret -f", "gh secret --env-file", "gh variable -f", "gh variable --env-file", "gh gist -a", "gh gist --add":
			c.reads(tail(w, file))
		case "gh workflow -F", "gh workflow --field":
			if field, from, ok := strings.Cut(file, "=@"); ok && !strings.Contains(field, "=") {
				c.reads(tail(w, from))
			}
		}
	}
}

// ghQuery: a program of jq may read variables.
func ghQuery(c *call) {
	for _, w := range c.values("-q", "--jq", "-t", "--template") {
		if environment().MatchString(w.Text) {
			c.exactf("%s reads variables that its program names", c.name)
		}
	}
}

// ghAPI: fields whose value begins with @ are read from a file.
func ghAPI(c *call) {
	ghQuery(c)
	if strings.Contains(c.operand(0), "://") && !strings.HasPrefix(c.operand(0), "https://api.github.com/") {
		c.exactf("gh api talks to another machine")
	}
	for i, w := range c.words {
		if i > 0 && (c.words[i-1].Text == "-F" || c.words[i-1].Text == "--field") {
			if _, value, ok := strings.Cut(w.Text, "=@"); ok {
				c.reads(tail(w, value))
			}
		}
	}
}

// tmuxSafe are commands of tmux that show something and change nothing.
var tmuxSafe = wordset.New("ls list-sessions lsw list-windows lsp list-panes lsc list-clients has has-session info lsk list-keys lscm list-commands capture-pane capturep show-messages")

// tmuxOps: most of what tmux can do runs programs, even its formats: #(command).
func tmuxOps(c *call) {
	words := c.words
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		name := words[0].Text
		if name == "-L" || name == "-S" {
			words = words[min(1, len(words)):]
		}
		if begins(name, "-f", "-c") {
			c.unsuref("tmux is given commands or a file of them")
		}
		words = words[min(1, len(words)):]
	}
	if len(words) == 0 || !tmuxSafe.Has(words[0].Text) {
		c.exactf("tmux runs programs in another terminal")
	}
	for _, w := range words {
		if strings.Contains(w.Text, "#(") || w.Text == ";" || strings.HasSuffix(w.Text, ";") {
			c.unsuref("tmux is given more than one command, or one inside a format")
		}
	}
}

// ffmpegOps: the last word is what it writes.
func ffmpegOps(c *call) {
	if len(c.rest) > 0 {
		c.writes(c.rest[len(c.rest)-1])
	}
}

// systemctlOps: a unit by its path is a program to run that nobody has installed.
func systemctlOps(c *call) {
	if anyHolds(c.rest, "/") {
		c.exactf("systemctl is given a service by its file")
	}
}

// crontabOps: only -l alone shows; the rest decides what runs after the session is over.
func crontabOps(c *call) {
	if !c.has("-l") || c.has("-e", "-r") || len(c.rest) > 0 {
		c.exactf("crontab changes what runs later")
		readAll(c)
	}
}

// psOps: an e among letters without a dash shows the variables of other programs.
func psOps(c *call) {
	for _, w := range c.rest {
		if strings.Contains(w.Text, "e") && strings.Trim(w.Text, "acefghjklmnprstuvwxASTUXZ") == "" {
			c.exactf("ps e shows the variables of other programs")
		}
	}
}

// mountOps: without operands it lists.
func mountOps(c *call) {
	if len(c.rest) > 0 {
		c.exactf("mount changes what names of files mean")
	}
}
