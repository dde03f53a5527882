package broker

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// RuleReadOnly is the id of the built-in rule.
const RuleReadOnly = rules.BuiltinReadOnly

// PlaceOf is where a call of this project would run: home is the user's home folder
// and own are aoctl's files and folders, all three as the disk has them. It is for one
// call, or for one run over a history, as it remembers where paths lead; and for one
// goroutine.
func PlaceOf(project, cwd, home string, own []string) risk.Place {
	return placeAt(newFollower(), project, cwd, home, own)
}

func placeAt(f *follower, project, cwd, home string, own []string) risk.Place {
	root, _ := f.projectRoot(project, home)
	p := risk.Place{CWD: cwd, Project: root, Home: home, Own: own, Real: f.real, Git: f.gitIn(root)}
	p.OwnPassword = func() bool {
		return home != "" && (gitPasswords(filepath.Join(home, ".gitconfig")) || gitPasswords(filepath.Join(home, ".config/git/config")))
	}
	is := risk.SecretAt(p)
	p.Secrets, p.Tracked = f.secretsBelow(is), f.trackedSecrets(p.Git, is)
	return p
}

// place is where a call of this project would run.
func (b *Broker) place(project, cwd string) risk.Place {
	return PlaceOf(project, cwd, b.home, b.guarded)
}

// assess says what the rules say about a call now. What makes the rules themselves
// doubtful turns an allow into a question; a refusal stands.
func (b *Broker) assess(c *rules.Call, project string, now time.Time) rules.Assessment {
	a, _ := b.judge(c, project, now)
	return a
}

// judge is assess, with the set of rules that spoke.
func (b *Broker) judge(c *rules.Call, project string, now time.Time) (rules.Assessment, *rules.Set) {
	problem := b.projectRules(project)
	b.mu.Lock()
	doubt, set := cmp.Or(b.keeper.doubt, b.keeper.unread, b.keeper.stuck, b.notRecording()), b.keeper.set.Load()
	alarm := b.alarmed(c)
	b.mu.Unlock()
	a := set.Judge(c, now)
	switch {
	case a.Verdict != rules.Allow:
	case doubt != "":
		a = askInstead(a, "no rule may allow anything: "+doubt)
	case alarm != "":
		a = askInstead(a, alarm)
	case problem != "":
		a = askInstead(a, "the project's "+RulesFileName+" cannot be read: "+problem)
	case changesLinked(c):
		a = askInstead(a, "the file has another name elsewhere (a hard link), and changes under both")
	}
	return a, set
}

// askInstead takes an allow back.
func askInstead(a rules.Assessment, why string) rules.Assessment {
	a.Verdict, a.Rule, a.Rules, a.Reason = rules.Ask, "", nil, why
	return a
}

// ends reports whether a ends its call: what asks, or is put off, waits for a person.
func ends(a rules.Assessment) bool { return a.Verdict == rules.Allow || a.Verdict == rules.Deny }

// maxJudged is how often a call is judged anew because the rules change meanwhile.
const maxJudged = 20

// ruling is the end that the rules give to a call; none when a person must answer.
// With decide, what rests on rules with a number of uses spends one of each; without,
// nothing ends.
func (b *Broker) ruling(c *rules.Call, project string, decide bool) (rules.Assessment, *Outcome) {
	now := time.Now()
	for range maxJudged {
		a, set := b.judge(c, project, now)
		if !decide || !ends(a) {
			return a, nil
		}
		if !b.spend(set, a.Rules, now) {
			continue // the last use went to another call, or the rules are others by now
		}
		by := Actor{Kind: ByRule, ID: a.Rule}
		if a.Verdict == rules.Deny {
			return a, &Outcome{State: Denied, By: by, Reason: b.denyReason(a)}
		}
		return a, &Outcome{State: Allowed, By: by, Reason: a.Reason}
	}
	a := b.assess(c, project, now)
	a.Verdict, a.Rule, a.Rules, a.Reason = rules.Ask, "", nil, "the rules keep changing"
	return a, nil
}

// denyReason is what the agent is told of a rule's refusal: the operator's words when
// the rule has some.
func (b *Broker) denyReason(a rules.Assessment) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, _ := b.keeper.rule(a.Rule)
	return cmp.Or(r.Reason, a.Reason)
}

// observed says what would have happened to a call that nobody held.
func observed(a rules.Assessment) string {
	switch a.Verdict {
	case rules.Allow:
		return "the rules would have allowed it: " + a.Reason
	case rules.Deny:
		return "the rules would have denied it: " + a.Reason
	case rules.Ask, rules.Defer:
	}
	return "a person would have been asked: " + a.Reason
}

// projectOf is the folder of the project that req is about. Caller holds mu.
func (b *Broker) projectOf(req Request) string {
	if se, ok := b.sessions[req.SessionID]; ok && se.s.ProjectDir != "" {
		return se.s.ProjectDir
	}
	return folderOf(req)
}

// nowhereInside is a folder that is no project, for it is too wide.
const nowhereInside = string(filepath.Separator)

// folderOf stands in for the project of a session that has not told of one: the folder
// of the call, unless that is the model's choice, by which it would choose its project.
func folderOf(req Request) string {
	if agents.TraitsOf(req.Agent).CallFolder {
		return nowhereInside
	}
	return req.CWD
}

// projectRoot returns dir's real path, unless it is so wide that "inside the
// project" would mean everything: the root, the home folder, or a parent of it.
func (f *follower) projectRoot(dir, home string) (string, bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	real := f.folder(dir)
	if real == "" || home == "" || below(real, home) {
		return "", false
	}
	return real, true
}

// maxLinks is how many links to nothing are followed, as the system follows links.
const maxLinks = 40

// realAsFar follows the links in path as far as it exists, and appends the rest as it
// stands: where a file would be made. A link to nothing leads where it points.
func realAsFar(path string) (string, error) {
	rest := ""
	for range maxLinks {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if target, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Dir(path) + string(filepath.Separator) + target
			}
			path = target
			continue
		}
		dir, name := filepath.Split(path)
		dir = strings.TrimRight(dir, string(filepath.Separator))
		if dir == "" || name == "" || name == "." || name == ".." {
			return "", err
		}
		path, rest = dir, filepath.Join(name, rest)
	}
	return "", syscall.ELOOP
}

// FileExists reports whether there is something at a real path.
func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// SpecialFile reports whether there is something at a real path that is neither a plain
// file nor a folder.
func SpecialFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// RealPath follows links in path as far as the disk has it.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// UserHome is the user's home folder, "" when there is none.
func UserHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return RealPath(home)
}

// below reports whether path is dir or lies in it. Both are clean absolute paths.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
