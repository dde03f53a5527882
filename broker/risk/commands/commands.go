// Package commands says what is remarkable about a command by its words: that it may destroy, leak or open
// something, or that others will see what it does.
//
// It is tables: each file has the rows of one field (git, disks, the cloud, …), and a row has the
// programs, the subcommand, a question about the words behind it, and the few words that a person reads.
// Of is the way in: all that the tables say of one command. Whether a finding makes a call dangerous is
// for package risk, which also follows the paths that a command names; nothing here looks at a disk.
//
// The rows read words warily, by package cmdline: they only ever make a call look worse, so a row too many
// costs a question, and a row too few is a hole.
package commands

import (
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// Remark is what a row says of a command. Says is who does what, "" when that is not certain. A Note is
// what a person should know, and no danger; what is Guarded no rule may allow.
type Remark struct {
	Why, Says     string
	Note, Guarded bool
}

// Of is all that the tables say of a command. A program may have rows under its name and under a beginning
// of it.
func Of(a cmdline.Command) (list []Remark) {
	all := commandRules()
	rows := all[a.Name]
	for _, p := range prefixes {
		if strings.HasPrefix(a.Name, strings.TrimSuffix(p, "*")) {
			rows = append(rows[:len(rows):len(rows)], all[p]...)
		}
	}
	for _, r := range rows {
		if m, ok := r.of(a); ok {
			list = append(list, m)
		}
	}
	return list
}

// rule says what is remarkable about a command. sub and when have both to hold; of several
// rules for a program all are tried, and each that fits is a finding.
type rule struct {
	names   string                     // of programs, separated by blanks; one that ends in * is a prefix
	sub     string                     // the subcommand, as for args.sub; "" for any
	when    func(cmdline.Command) bool // asks about the words after the subcommand; nil: always
	why     string
	says    func(cmdline.Command) string // who does what, "" when that is not certain; nil for no more than why
	note    bool                         // Normal, not Dangerous
	guarded bool
}

// The questions that rules ask most. A rule is worse off with option, which may be there in any
// guise, and better off with without, which has to be there for sure. word asks for a word as
// it is, like for one that a pattern fits, noSub for any subcommand but those named.
func option(options ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return a.Has(options...) }
}

func without(options ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return !a.Surely(options...) }
}

func word(words ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return a.Exactly(words...) }
}

func anyWord(test func(string) bool) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return a.AnyWord(test) }
}

func like(pattern string) func(cmdline.Command) bool {
	return anyWord(func(w string) bool { return cmdline.Matches(pattern, w) })
}

func noSub(names string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return !a.SubOf(names) }
}

func noOperands(a cmdline.Command) bool  { return len(a.Operands()) == 0 }
func hasOperands(a cmdline.Command) bool { return !noOperands(a) }

// commandRules are all rules by the program's name; those of prefixes stand under the
// prefix with its star.
var commandRules = sync.OnceValue(func() map[string][]rule {
	all := map[string][]rule{}
	for _, r := range allRules() {
		for _, name := range strings.Fields(r.names) {
			all[name] = append(all[name], r)
		}
	}
	return all
})

// allRules is every table of rules. A new file of rules is added here.
func allRules() []rule {
	var all []rule
	for _, list := range [][]rule{fileRules(), gitRules(), diskRules(), publishRules(), adminRules(), cloudRules(), secretRules(), networkRules(), agentRules(), installRules()} {
		all = append(all, list...)
	}
	return all
}

// prefixes are the beginnings under which commandRules has prefixes.
var prefixes = []string{"mkfs*", "newfs*", "docker-credential-*", "git-credential-*"}

// of is what the rule says of a command. The question when sees the words behind the subcommand alone.
func (r rule) of(a cmdline.Command) (Remark, bool) {
	if r.sub != "" {
		rest, ok := a.Sub(r.sub)
		if !ok {
			return Remark{}, false
		}
		a = a.After(rest)
	}
	if r.when != nil && !r.when(a) {
		return Remark{}, false
	}
	m := Remark{Why: r.why, Note: r.note, Guarded: r.guarded}
	if r.says != nil {
		m.Says = r.says(a)
	}
	return m, true
}
