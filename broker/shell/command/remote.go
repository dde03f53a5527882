package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// sshSafe are the settings of ssh -o that run nothing and read or write no file.
var sshSafe = wordset.New(`addressfamily batchmode bindaddress canonicaldomains checkhostip ciphers compression connectionattempts
	connecttimeout connectiontimeout escapechar exitonforwardfailure fingerprinthash gssapiauthentication hashknownhosts
	hostkeyalgorithms hostname identitiesonly ipqos kbdinteractiveauthentication kexalgorithms loglevel macs
	numberofpasswordprompts passwordauthentication port preferredauthentications pubkeyauthentication
	pubkeyacceptedalgorithms rekeylimit requesttty serveralivecountmax serveraliveinterval stricthostkeychecking
	tcpkeepalive updatehostkeys user verifyhostkeydns visualhostkey`)

// sshOps reads "ssh [options] host [options] [command]": ssh takes options on both sides of the
// host, and its words make one text for a shell over there. Host keeps its elements from being
// taken for this machine's files.
func sshOps(c *call) {
	c.parse()
	if len(c.rest) == 0 {
		sshSettings(c)
		return
	}
	c.Host = c.rest[0].Text
	if c.Host == "" || c.rest[0].Glob {
		c.unsuref("the machine that ssh would work on is not known")
	}
	// Behind the host come options again, up to the first word that is none.
	c.words, c.rest = c.rest[1:], nil
	if c.ended {
		c.rest = c.words
	} else {
		c.parse()
	}
	sshSettings(c)
	if len(c.rest) == 0 {
		c.exactf("ssh opens a shell on another machine")
		return
	}
	c.Wrapper = c.name
	c.scripts(joined(c.rest))
}

// sshSettings reads the values of -o, which no list of options holds for all of
// ssh, scp and sftp alike.
func sshSettings(c *call) {
	for _, w := range c.values("-o") {
		name, value, _ := strings.Cut(w.Text, "=")
		if head, rest, ok := strings.Cut(strings.TrimSpace(name), " "); ok {
			name, value = head, rest
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "userknownhostsfile" || name == "identityfile" || name == "globalknownhostsfile":
			c.reads(tail(w, strings.TrimSpace(value)))
		case !sshSafe.Has(name):
			c.unsuref("%s -o can run another program", c.name)
		}
	}
}

// remoteCopyOps: the last operand is where to, and those with a colon before any
// slash are on another machine.
func remoteCopyOps(c *call) {
	sshSettings(c)
	for i, w := range c.rest {
		switch {
		case isRemote(w.Text):
		case i == len(c.rest)-1:
			c.file(w, File{Write: true, Tree: true})
		default:
			c.readsTree(w)
		}
	}
}

// isRemote reports whether scp and its like take a word for a file on another machine.
func isRemote(text string) bool {
	head, _, found := strings.Cut(text, ":")
	return found && head != "" && !strings.Contains(head, "/")
}

// rsyncOps: "-e ssh" is what rsync does anyhow, and everybody writes it.
func rsyncOps(c *call) {
	remoteCopyOps(c)
	if c.has("-L", "-k", "--copy-links", "--copy-unsafe-links", "--copy-dirlinks") {
		c.follows()
	}
	for _, w := range c.values("-e", "--rsh") {
		if w.Text != "ssh" {
			c.unsuref("rsync -e can run another program")
		}
	}
	if c.has("--remove-source-files") {
		c.files(c.rest[:max(len(c.rest)-1, 0)], File{Write: true, Deletes: true, Tree: true})
	}
	if len(c.rest) > 0 && c.has("--delete", "--del", "--delete-before", "--delete-during", "--delete-delay", "--delete-after", "--delete-excluded", "--delete-missing-args") {
		if last := c.rest[len(c.rest)-1]; !isRemote(last.Text) {
			c.file(last, File{Write: true, Deletes: true, Tree: true})
		}
	}
}

// socatOps: an address of socat may be a program or a file, which it is without a kind when it has a slash.
func socatOps(c *call) {
	for i, w := range c.words {
		low := strings.ToLower(w.Text)
		switch {
		case holds(low, "exec:", "system:", "shell:"), strings.ContainsAny(low, `\"'`):
			c.unsuref("socat runs a program")
		case len(low) > 1 && low[0] == '-' && low[1] != ',' && low[1] != '!':
			if file := w.Text[min(3, len(w.Text)):]; strings.HasPrefix(w.Text, "-lf") && file != "" {
				socatWrites(c, tail(w, file))
			} else if socatFiles.Has(w.Text) && i+1 < len(c.words) {
				socatWrites(c, c.words[i+1])
			}
			continue
		case strings.Contains(low, "!!"):
			c.exactf("socat joins several addresses")
		case elsewhereIn(w):
			c.exactf("socat is given a file outside of its folder")
		}
		for _, text := range strings.Split(w.Text, "!!") {
			socatAddress(c, tail(w, text))
		}
	}
}

// socatFiles are options whose value is a file that is written.
var socatFiles = wordset.New("-lf -r -R -L -W")

// socatWrites is for a log or a copy of what passes through.
func socatWrites(c *call, w Word) {
	c.exactf("socat writes a file")
	c.writes(w)
}

// socatAddress looks for a file in one address, which is KIND:FILE,options, or a path alone.
// Which way the data goes is not asked, so the file is read and written.
func socatAddress(c *call, w Word) {
	text, _, _ := strings.Cut(w.Text, ",")
	kind, file, found := strings.Cut(strings.TrimLeft(text, "!"), ":")
	if strings.Contains(kind, "/") {
		file = text
	} else if !found || !socatOpens.Has(strings.ToLower(kind)) {
		return
	}
	c.exactf("socat opens a file")
	c.reads(tail(w, file))
	c.writes(tail(w, file))
}

// socatOpens are the kinds of address that open a file by its name.
var socatOpens = wordset.New("open file gopen create creat")

// rcloneOps: a remote that begins with a colon says itself how it is reached.
func rcloneOps(c *call) {
	if anyBegins(c.rest, ":") {
		c.exactf("rclone is given a remote with its settings, which may run a program")
	}
	c.farOperands()
	if rcloneCopies.Has(c.operand(0)) {
		for i, w := range c.rest[1:] {
			if !isRemote(w.Text) {
				c.file(w, File{Tree: true, Write: i > 0 || c.rest[0].Text == "bisync"})
			}
		}
	}
}

// rcloneCopies are subcommands that carry files from their first operand to their second.
var rcloneCopies = wordset.New("copy copyto move moveto sync bisync cat copyurl")
