package commands

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

const (
	sendsFile = "sends a file to the network"
	sendsData = "sends data to the network"
	elsewhere = "runs on another machine"
)

// networkRules are about what leaves the machine. A fetch has no row: what is done with the
// answer is judged by flow.
func networkRules() []rule {
	return []rule{
		{names: "curl", when: curlSendsFile, why: sendsFile, says: sends("a file")},
		{names: "curl", when: func(a cmdline.Command) bool {
			return a.Has("-d", "-F") || a.AnyWord(func(w string) bool { return cmdline.Matches("--data*|--form*|--json*|--url-query*", w) })
		}, why: sendsData, note: true, says: sends("data")},
		{names: "curl", when: func(a cmdline.Command) bool {
			return slices.ContainsFunc(a.Values("-X", "--request"), func(m string) bool { return strings.EqualFold(m, "delete") })
		}, why: "deletes something over the network"},
		// Inside a cloud, this service tells a machine's own keys to whoever asks from it.
		{names: "curl wget http https xh", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				if !strings.Contains(w, "://") {
					w = "http://" + w
				}
				u, err := url.Parse(w)
				return err == nil && IsMetadata(strings.TrimSuffix(pathtable.Fold(u.Hostname()), "."))
			})
		}, why: "reaches the cloud's metadata"},
		{names: "wget", when: like("--post-file*|--body-file*"), why: sendsFile, says: sends("a file")},
		{names: "wget", when: like("--post-data*|--body-data*"), why: sendsData, note: true, says: sends("data")},
		{names: "http https xh xhs", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				return strings.Contains(w, "=@") || strings.Contains(w, "@/") || strings.HasPrefix(w, "@")
			}) || a.Element.Stdin != ""
		}, why: sendsFile},
		{names: "scp rsync", when: sendsTo, why: "sends files to another machine"},
		{names: "scp rsync", when: func(a cmdline.Command) bool { return a.AnyWord(Remote) && !sendsTo(a) }, why: "fetches files from another machine", note: true},
		{names: "sftp ftp lftp tftp ncftpput", why: "sends files to another machine"},
		// -z only knocks; with -l or -e it answers, perhaps with a shell.
		{names: "nc ncat netcat", when: func(a cmdline.Command) bool {
			return len(a.Operands()) > 0 && !a.Surely("-z") || a.Has("-e", "-c", "-l", "--exec", "--sh-exec", "--listen")
		}, why: "talks to the network"},
		{names: "socat", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				return cmdline.Matches("tcp*|udp*|openssl*|ssl*|sctp*|exec*|system*|proxy*|socks*", strings.ToLower(w))
			})
		}, why: "talks to the network"},
		{names: "telnet", when: hasOperands, why: "talks to the network"},
		{names: "openssl", sub: "s_client|s_server", why: "talks to the network"},
		{names: "ssh mosh", when: hasOperands, why: elsewhere},
		{names: "ssh-copy-id", why: elsewhere},
		{names: "pdsh pssh parallel-ssh", why: elsewhere},
		{names: "aws", sub: "s3 cp|mv|sync", when: toBucket, why: sendsFile},
		{names: "gsutil", sub: "cp|mv|rsync", when: toBucket, why: sendsFile},
		{names: "gcloud", sub: "storage cp|mv|rsync", when: toBucket, why: sendsFile},
		{names: "azcopy", sub: "copy|sync", why: sendsFile},
		{names: "rclone", sub: "copy|copyto|sync|move|moveto|bisync|rcat|serve", why: sendsFile},
		{names: "mail mailx sendmail mutt swaks", why: "sends mail"},
		{names: "transfer croc wormhole magic-wormhole", why: sendsFile},
		{names: "ngrok cloudflared localtunnel lt bore", why: "opens this machine to the network"},
		{names: "npx", sub: "localtunnel|ngrok", why: "opens this machine to the network"},
	}
}

// curlSendsFile reports whether curl uploads a file or its standard input. Options may have
// their value attached, behind them or in a cluster, so each of the three is looked at.
func curlSendsFile(a cmdline.Command) bool {
	if a.Has("-T", "--upload-file") {
		return true
	}
	for i, w := range a.Words {
		value := ""
		switch {
		case cmdline.Matches("--data*|--form*|--json*|--url-query*", w):
			if name, v, _ := strings.Cut(w, "="); !strings.Contains(name, "@") {
				value = v
			}
			if value == "" && i+1 < len(a.Words) {
				value = a.Words[i+1]
			}
			// These take an "@" as it is.
			if strings.HasPrefix(w, "--data-raw") || strings.HasPrefix(w, "--form-string") {
				continue
			}
			if strings.HasPrefix(w, "--form") && (strings.Contains(value, "=@") || strings.Contains(value, "=<")) {
				return true
			}
			if strings.HasPrefix(w, "--data-urlencode") && strings.Contains(value, "@") && !strings.Contains(value, "=") {
				return true
			}
		case cmdline.IsOption(w, "-H"):
			value = attached(a, i, 'H')
		case cmdline.Matches("--header*|--proxy-header*", w):
			if _, v, ok := strings.Cut(w, "="); ok {
				value = v
			} else if i+1 < len(a.Words) {
				value = a.Words[i+1]
			}
		case cmdline.IsOption(w, "-d"):
			value = attached(a, i, 'd')
		case cmdline.IsOption(w, "-F"):
			value = attached(a, i, 'F')
			if strings.Contains(value, "=@") || strings.Contains(value, "=<") {
				return true
			}
		}
		if strings.HasPrefix(value, "@") {
			return true
		}
	}
	return false
}

// attached is the value of a one-letter option that ends the cluster in word i, "" when there
// is none.
func attached(a cmdline.Command, i int, letter byte) string {
	w := a.Words[i]
	if at := strings.IndexByte(w, letter); at+1 < len(w) {
		return w[at+1:]
	}
	if i+1 < len(a.Words) {
		return a.Words[i+1]
	}
	return ""
}

// Remote reports whether a word of scp or rsync names another machine: it has a colon before
// any slash.
func Remote(w string) bool {
	colon := strings.IndexByte(w, ':')
	slash := strings.IndexByte(w, '/')
	return colon > 0 && w[0] != '-' && (slash < 0 || colon < slash)
}

// sendsTo reports whether scp or rsync copies to another machine.
func sendsTo(a cmdline.Command) bool { return goesTo(a, Remote) }

// goesTo reports whether a copy goes to such a place: the last operand is one, or the last that
// cannot be the value of an option, or one that comes after a file. Options may stand behind
// the operands, so the last word alone does not tell.
func goesTo(a cmdline.Command, there func(string) bool) bool {
	ops := a.Operands()
	if len(ops) > 0 && there(ops[len(ops)-1]) {
		return true
	}
	file, last, value := false, false, false
	for _, w := range a.Words {
		switch {
		case strings.HasPrefix(w, "-") && w != "-":
			// The next word may be the value of this option.
			value = true
			continue
		case there(w) && file:
			return true
		case !value:
			last = there(w)
			file = file || !last
		}
		value = false
	}
	return last
}

// toBucket reports whether files go to a place in the cloud.
func toBucket(a cmdline.Command) bool {
	return goesTo(a, func(w string) bool { return strings.Contains(w, "://") })
}
