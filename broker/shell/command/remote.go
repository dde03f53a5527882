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

// remoteRows are programs that work on other machines, or carry files there.
func remoteRows() map[string]spec {
	return map[string]spec{
		"ssh":     sshRow(),
		"slogin":  sshRow(),
		"autossh": {lax: true, whole: "opens a lasting connection"},
		"mosh":    {lax: true, whole: "opens a shell on another machine"},
		"sshpass": {stop: true, wraps: true, ok: "-ehvV -d= -p= -P=", read: "-f="},
		"scp": {
			ok:   "-346ABCOpqRrTv -c= -l= -o= -P= -J= -X=",
			read: "-i=", exact: "-F=", unsure: "-S= -D=", ops: remoteCopyOps,
		},
		"sftp": {
			ok:   "-46AaCfNpqrv -B= -c= -l= -o= -P= -R= -J= -X=",
			read: "-i=", exact: "-b= -F=", unsure: "-S= -D= -s=", ops: sshSettings,
		},
		"rsync":          rsyncRow(),
		"rclone":         {lax: true, exact: "--config= --password-command= --metadata-mapper= --rc --sftp-ssh=", ops: rcloneOps, subs: map[string]spec{"config": {lax: true, whole: settles}, "rcd": {lax: true, whole: serves}, "rc": {lax: true, whole: handsOn}, "serve": {lax: true, whole: serves}, "mount": {lax: true, whole: "changes what names of files mean"}}},
		"telnet":         {lax: true, exact: "-x"},
		"ssh-keygen":     {lax: true, ok: "-t= -b= -C= -N= -P= -m= -a= -I= -n= -V= -z= -Z= -F= -R= -E= -O= -r= -Y=", write: "-f=", unsure: "-D= -w="},
		"ssh-add":        {lax: true, ok: "-t= -E=", unsure: "-s= -S= -e=", ops: readAll},
		"ssh-agent":      {stop: true, wraps: true, ok: "-cDdks -a= -E= -t= -O=", unsure: "-P="},
		"ssh-copy-id":    {lax: true, read: "-i=", unsure: "-o= -F=", whole: "lets a key in on another machine"},
		"ssh-keyscan":    {lax: true, read: "-f="},
		"nc":             ncRow(),
		"ncat":           ncRow(),
		"netcat":         ncRow(),
		"nc.openbsd":     ncRow(),
		"nc.traditional": ncRow(),
		"socat":          {raw: socatOps},
	}
}

func sshRow() spec {
	return spec{
		stop: true,
		ok:   "-46aCfGgkKMnNqstTvVxy -b= -B= -c= -e= -l= -m= -o= -p= -P= -Q=",
		read: "-i=", spill: "-E=", exact: "-AXY -D= -L= -R= -W= -w= -J= -S= -O=", unsure: "-I= -F=",
		raw: sshOps,
	}
}

// sshOps reads "ssh [options] host [options] [command]": ssh takes options on both
// sides of the host, and its words make one text for a shell over there.
func sshOps(c *call) {
	c.parse()
	if len(c.rest) == 0 {
		sshSettings(c)
		return
	}
	c.m.Host = c.rest[0].Text
	if c.m.Host == "" || c.rest[0].Glob {
		c.unsuref("the machine that ssh would work on is not known")
	}
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
	c.m.Wrapper = c.name
	c.m.Scripts = append(c.m.Scripts, Script{Text: joined(c.rest)})
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

func isRemote(text string) bool {
	head, _, found := strings.Cut(text, ":")
	return found && head != "" && !strings.Contains(head, "/")
}

func rsyncRow() spec {
	return spec{
		ok: "-vqcarRubudlLkKHpEAXogtUNOJDSnWxCIyzhPisF468 -b -0 -m -V --verbose --quiet --no-motd --checksum --archive --recursive --relative --no-implied-dirs --backup --suffix= --update --inplace --append --append-verify " +
			"--dirs --old-dirs --mkpath --links --copy-links --copy-unsafe-links --safe-links --munge-links --copy-dirlinks --keep-dirlinks --hard-links --perms --executability --chmod= --acls --xattrs --owner --group --devices " +
			"--specials --times --atimes --open-noatime --crtimes --omit-dir-times --omit-link-times --super --fake-super --sparse --preallocate --dry-run --whole-file --checksum-choice= --cc= --one-file-system --block-size= -B= " +
			"--existing --ignore-non-existing --ignore-existing --remove-source-files --del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --ignore-missing-args --delete-missing-args " +
			"--ignore-errors --force --max-delete= --max-size= --min-size= --max-alloc= --partial --delay-updates --prune-empty-dirs --numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= --ignore-times " +
			"--size-only --modify-window= -@= --fuzzy --compress --compress-choice= --zc= --compress-level= --zl= --skip-compress= --cvs-exclude --filter= -f= --exclude= --include= --from0 --old-args --secluded-args --protect-args " +
			"--trust-sender --copy-as= --address= --port= --sockopts= --blocking-io --outbuf= --stats --8-bit-output --human-readable --progress --itemize-changes --info= --debug= --stderr= --out-format= --list-only --bwlimit= " +
			"--stop-after= --stop-at= --fsync --protocol= --iconv= --checksum-seed= --ipv4 --ipv6 --version --help --no-perms --no-owner --no-group --no-times --no-links --no-recursive --no-inc-recursive --no-dirs --no-compress --no-whole-file --no-D --no-i-r -e= --rsh=",
		read:   "--exclude-from= --include-from= --files-from= --password-file= --compare-dest= --copy-dest= --link-dest=",
		spill:  "--write-batch= --only-write-batch=",
		write:  "--log-file= --backup-dir= --temp-dir= -T= --partial-dir=",
		exact:  "--read-batch= --log-file-format= --daemon --config= --dparam= -M= --remote-option=",
		unsure: "--rsync-path= --early-input=",
		ops:    rsyncOps,
	}
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
		for _, w := range c.rest[:max(len(c.rest)-1, 0)] {
			c.file(w, File{Write: true, Deletes: true, Tree: true})
		}
	}
	if len(c.rest) > 0 && c.has("--delete", "--del", "--delete-before", "--delete-during", "--delete-delay", "--delete-after", "--delete-excluded", "--delete-missing-args") {
		if last := c.rest[len(c.rest)-1]; !isRemote(last.Text) {
			c.file(last, File{Write: true, Deletes: true, Tree: true})
		}
	}
}

// ncRow lists no harmless values: what -e means and which letters take a value differs
// among the programs of this name.
func ncRow() spec {
	return spec{lax: true, spill: "-o= --output=", unsure: "-e? -c? --exec= --sh-exec= --lua-exec="}
}

// socatOps: an address of socat may be a program or a file, which it is without a kind when it has a slash.
func socatOps(c *call) {
	for i, w := range c.words {
		low := strings.ToLower(w.Text)
		switch {
		case strings.Contains(low, "exec:"), strings.Contains(low, "system:"), strings.Contains(low, "shell:"), strings.ContainsAny(low, `\"'`):
			c.unsuref("socat runs a program")
		case len(low) > 1 && low[0] == '-' && low[1] != ',' && low[1] != '!':
			if file := w.Text[min(3, len(w.Text)):]; strings.HasPrefix(w.Text, "-lf") && file != "" {
				c.socatWrites(tail(w, file))
			} else if socatFiles.Has(w.Text) && i+1 < len(c.words) {
				c.socatWrites(c.words[i+1])
			}
			continue
		case strings.Contains(low, "!!"):
			c.exactf("socat joins several addresses")
		case elsewhereIn(w):
			c.exactf("socat is given a file outside of its folder")
		}
		for _, text := range strings.Split(w.Text, "!!") {
			c.socatAddress(tail(w, text))
		}
	}
}

// socatFiles are options whose value is a file that is written.
var socatFiles = wordset.New("-lf -r -R -L -W")

func (c *call) socatWrites(w Word) {
	c.exactf("socat writes a file")
	c.writes(w)
}

func (c *call) socatAddress(w Word) {
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

var socatOpens = wordset.New("open file gopen create creat")

// rcloneOps: a remote that begins with a colon says itself how it is reached.
func rcloneOps(c *call) {
	for _, w := range c.rest {
		if strings.HasPrefix(w.Text, ":") {
			c.exactf("rclone is given a remote with its settings, which may run a program")
		}
	}
	c.farOperands()
	if len(c.rest) > 0 && rcloneCopies.Has(c.rest[0].Text) {
		for i, w := range c.rest[1:] {
			if !isRemote(w.Text) {
				c.file(w, File{Tree: true, Write: i > 0 || c.rest[0].Text == "bisync"})
			}
		}
	}
}

// rcloneCopies are subcommands that carry files from their first operand to their second.
var rcloneCopies = wordset.New("copy copyto move moveto sync bisync cat copyurl")
