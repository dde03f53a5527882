package cli

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

// known is what a command without a console knows of the rules: what the log says,
// and the project's own file.
type known struct {
	reader  *store.Reader     // nil: nothing was recorded yet
	rules   []rules.Rule      // in the order in which they speak
	own     []rules.Rule      // those of the database only
	trusted map[string]string // rules files of projects that a person trusts, with the digest of their text
	project string            // real path of the project's folder
	home    string
	guarded []string
	problem string // why no rule allows anything
}

// knowRules reads the rules that hold in project; "" is the folder that the command
// runs in.
func knowRules(ctx context.Context, r *store.Reader, project string) (*known, error) {
	k := &known{reader: r, trusted: map[string]string{}, home: workspace.UserHome()}
	if project == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the current folder: %w", err)
		}
		project = dir
	}
	k.project = workspace.RealPath(project)
	for _, g := range guarded("") {
		k.guarded = append(k.guarded, workspace.RealPath(g))
	}
	if r != nil {
		if err := k.readLog(ctx); err != nil {
			return nil, err
		}
	}
	k.rules = slices.Clone(k.own)
	if err := k.readFile(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(k.rules, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return k, nil
}

// readLog reads the rules of the database and which files are trusted. Rules in doubt
// are shown, and said to be.
func (k *known) readLog(ctx context.Context) error {
	list, err := k.reader.Rules(ctx)
	if err != nil && !errors.Is(err, broker.ErrTampered) {
		return err
	}
	if err != nil {
		k.problem = err.Error()
	}
	k.own = list
	facts, doubt, err := k.reader.Facts(ctx)
	if err != nil {
		return err
	}
	if k.problem == "" {
		k.problem = doubt
	}
	for _, e := range facts {
		var d broker.FileTrustedData
		if e.Type == broker.EventFileTrusted && json.Unmarshal(e.Data, &d) == nil {
			k.trusted[d.Path] = d.Digest
		}
	}
	return nil
}

// readFile adds the rules of the project's own file. One that cannot be read makes
// every call of the project ask, so it is a problem and no error.
func (k *known) readFile() error {
	path := filepath.Join(k.project, policy.RulesFileName)
	f, err := policy.ReadRulesFile(path, k.project, k.trusted[path])
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		k.problem = fmt.Sprintf("%s cannot be read, so every call of the project asks: %v", path, err)
		return nil
	}
	k.rules = append(k.rules, f.Rules...)
	return nil
}

// set compiles the rules.
func (k *known) set() (*rules.Set, error) {
	set, err := rules.Compile(k.rules)
	if err != nil {
		return nil, fmt.Errorf("compile the rules: %w", err)
	}
	return set, nil
}

// question is a call in the project.
func (k *known) question(tool string, input json.RawMessage, cwd, session, agent string) rules.Question {
	return rules.Question{
		Tool: tool, Input: input, Agent: agent, SessionID: session, Trusted: true, Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
		Place: workspace.PlaceOf(k.project, cwd, k.home, k.guarded),
	}
}

// withRules opens the database, hands what it says about rules to f, and closes it. A
// database that is not there yet holds no rules.
func withRules(ctx context.Context, project string, f func(*known) error) (err error) {
	r, err := openReader(ctx)
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
