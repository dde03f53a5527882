package state

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/store"
)

// Rulebook is what a command without a console knows of the rules: what the log says, and
// the project's own file. It is read once and does not follow what changes later.
type Rulebook struct {
	Reader  *store.Reader     // nil: nothing was recorded yet
	All     []rules.Rule      // in the order in which they speak
	Own     []rules.Rule      // those of the database only
	Trusted map[string]string // rules files of projects that a person trusts, with the digest of their text
	Project string            // real path of the project's folder
	Home    string
	Guarded []string
	Problem string // why no rule allows anything
}

// knowRules reads the rules that hold in project; "" is the folder that the command runs
// in. r may be nil, then only the project's file counts, and no file is trusted.
func knowRules(ctx context.Context, r *store.Reader, project string) (*Rulebook, error) {
	k := &Rulebook{Reader: r, Trusted: map[string]string{}, Home: workspace.UserHome()}
	if project == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the current folder: %w", err)
		}
		project = dir
	}
	k.Project = workspace.RealPath(project)
	// Calls are compared by real paths.
	for _, g := range Guarded("") {
		k.Guarded = append(k.Guarded, workspace.RealPath(g))
	}
	if r != nil {
		if err := k.readLog(ctx); err != nil {
			return nil, err
		}
	}
	k.All = slices.Clone(k.Own)
	if err := k.readFile(); err != nil {
		return nil, err
	}
	// The order is the console's. With equal priorities the older rule comes first.
	slices.SortStableFunc(k.All, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return k, nil
}

// readLog reads the rules of the database and which files are trusted. Rules in doubt are
// shown, and said to be. The first doubt is the one that is told.
func (k *Rulebook) readLog(ctx context.Context) error {
	list, err := k.Reader.Rules(ctx)
	if err != nil && !errors.Is(err, broker.ErrTampered) {
		return err
	}
	if err != nil {
		k.Problem = err.Error()
	}
	k.Own = list
	facts, doubt, err := k.Reader.Facts(ctx)
	if err != nil {
		return err
	}
	if k.Problem == "" {
		k.Problem = doubt
	}
	// A later event of one path replaces the earlier one; an empty digest takes the trust
	// away.
	for _, e := range facts {
		var d broker.FileTrustedData
		if e.Type == broker.EventFileTrusted && json.Unmarshal(e.Data, &d) == nil {
			k.Trusted[d.Path] = d.Digest
		}
	}
	return nil
}

// readFile adds the rules of the project's own file. One that cannot be read makes every
// call of the project ask, so it is a problem and no error. A file that nobody trusts adds
// only what package policy lets through.
func (k *Rulebook) readFile() error {
	path := filepath.Join(k.Project, policy.RulesFileName)
	f, err := policy.ReadRulesFile(path, k.Project, k.Trusted[path])
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		k.Problem = fmt.Sprintf("%s cannot be read, so every call of the project asks: %v", path, err)
		return nil
	}
	k.All = append(k.All, f.Rules...)
	return nil
}

// Set compiles the rules. A rule that does not compile is an error and never skipped:
// without it the others might allow more.
func (k *Rulebook) Set() (*rules.Set, error) {
	set, err := rules.Compile(append(slices.Clone(k.All), rules.LookGrant()))
	if err != nil {
		return nil, fmt.Errorf("compile the rules: %w", err)
	}
	return set, nil
}

// Question is a call in the project, asked by an agent whose word for its tool is taken.
// input is the tool's JSON. The files that the call names are looked at when the rules
// judge it.
func (k *Rulebook) Question(tool string, input json.RawMessage, cwd, session, agent string) rules.Question {
	return rules.Question{
		Tool: tool, Input: input, Agent: agent, SessionID: session, Trusted: true, Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
		Place: workspace.PlaceOf(k.Project, cwd, k.Home, k.Guarded),
	}
}

// WithRules opens the database, hands what it says about rules to f, and closes it. A
// database that is not there yet holds no rules. The Rulebook's Reader must not be used
// after f.
func WithRules(ctx context.Context, project string, f func(*Rulebook) error) (err error) {
	r, err := OpenReader(ctx)
	if errors.Is(err, store.ErrMissing) {
		r, err = nil, nil
	}
	if err != nil {
		return err
	}
	if r != nil {
		defer func() { err = errors.Join(err, r.Close()) }()
	}
	k, err := knowRules(ctx, r, project)
	if err != nil {
		return err
	}
	return f(k)
}
