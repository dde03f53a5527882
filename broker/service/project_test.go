package service_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/workspace"
)

// The preview of a grant counts the calls of its project alone, and among those it would pass the ones
// that run already.
func TestPreviewOfAGrant(t *testing.T) {
	dir, other := workspace.RealPath(project(t)), workspace.RealPath(project(t))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	decide := func(dir, session, command string, v broker.Verdict) {
		t.Helper()
		r := submit(t, b, callIn(dir, session, command, command))
		if r.State == broker.Pending {
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: v, By: operator})
			must(t, err)
		}
	}
	decide(dir, "s", "ls", broker.Allow) // which passes by itself
	decide(dir, "s", "go test ./a", broker.Allow)
	decide(dir, "s", "go test ./b", broker.Deny)
	decide(dir, "s", "curl https://x.example", broker.Allow)
	decide(other, "o", "go test ./c", broker.Allow)
	waiting := submit(t, b, callIn(dir, "s", "w", "go test ./w"))
	grant := rules.Rule{
		Enabled: true, Priority: rules.DefaultPriority, Tool: rules.EffectsTool, Decision: rules.Allow,
		Effects: effects.Of(effects.Look, effects.Check), Scope: rules.Scope{Project: dir},
	}
	p, err := b.Preview(t.Context(), grant)
	must(t, err)
	if p.Here != 4 || p.Passed != 3 || p.Allowed != 1 || p.Denied != 1 || len(p.Waiting) != 1 {
		t.Errorf("%+v", p)
	}
	saved, err := b.SaveRule(t.Context(), grant, operator)
	must(t, err)
	if len(saved.Decided) != 1 || saved.Decided[0].ID != waiting.ID {
		t.Errorf("it decided %v", saved.Decided)
	}
	book := b.Rules(t.Context())
	if got := book.Grant(dir); got.ID != saved.Rule.ID || got.Effects != grant.Effects {
		t.Errorf("the grant of the project is %+v", got)
	}
	for path, about := range map[string]bool{dir: true, filepath.Join(dir, "sub"): true, other: false, filepath.Dir(dir): false} {
		if book.About(path) != about {
			t.Errorf("about %s: %v", path, !about)
		}
	}
}

// A folder that is too wide, or is not there, is no project.
func TestProjectAt(t *testing.T) {
	dir := workspace.RealPath(project(t))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	want := broker.Project{Path: dir, Holds: workspace.Holds(dir), NoGit: true}
	if diff := cmp.Diff(want, b.ProjectAt(t.Context(), dir)); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"", "/", workspace.UserHome(), filepath.Join(dir, "none")} {
		if got := b.ProjectAt(t.Context(), none); got.Path != "" {
			t.Errorf("%q is the project %+v", none, got)
		}
	}
}
