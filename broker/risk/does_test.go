package risk

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// What git could bring back is edited away. What it could not is deleted, and so is what an earlier part
// of the line may have changed.
func TestRemovalsThatGitCouldBringBack(t *testing.T) {
	at := place()
	at.Kept = func(p string) bool { return strings.HasSuffix(p, "/kept") }
	for _, tt := range []struct {
		name string
		line []shell.Element
		want effects.Effect
	}{
		{"kept", []shell.Element{run("rm kept"), remove("kept")}, effects.Edit},
		{"two", []shell.Element{run("rm kept src/kept"), remove("kept"), remove("src/kept")}, effects.Edit},
		{"a folder", []shell.Element{run("rm -r kept"), tree(remove("kept"))}, effects.Edit},
		{"after a look", []shell.Element{run("ls"), run("rm kept"), remove("kept")}, effects.Edit},
		{"one is new", []shell.Element{run("rm kept new"), remove("kept"), remove("new")}, effects.Delete},
		{"after a write", []shell.Element{run("tee kept"), write("kept"), run("rm kept"), remove("kept")}, effects.Delete},
		{"after a check", []shell.Element{run("make"), run("rm kept"), remove("kept")}, effects.Delete},
		{"a pattern", []shell.Element{run("rm */kept"), remove("*/kept")}, effects.Delete},
		{"by another option", []shell.Element{run("rm -i kept"), remove("kept")}, effects.Delete},
		{"outside", []shell.Element{run("rm ../kept"), remove("../kept")}, effects.Delete},
	} {
		var all effects.Set
		for _, p := range Assess(Call{Tool: "Bash", Line: lineOf(tt.line...)}, at).Parts {
			all |= p
		}
		if !all.Has(tt.want) || all.Has(effects.Delete) != (tt.want == effects.Delete) {
			t.Errorf("%s: %s", tt.name, all)
		}
	}
	at.Kept = nil
	if r := Assess(Call{Tool: "Bash", Line: lineOf(run("rm kept"), remove("kept"))}, at); !r.Parts[1].Has(effects.Delete) {
		t.Errorf("nobody looks: %s", r.Parts)
	}
}

// What is found is told with its effect; a phrase that nobody sorted is unknown.
func TestEffectsOfFindings(t *testing.T) {
	for why, want := range map[string]effects.Effect{
		"reads keys or credentials: .env": effects.Secrets, "pushes to a remote": effects.Push, "deletes something over the network": effects.Network, "deletes on the remote": effects.Push, "deletes outside the project": effects.Delete,
		"runs as another user": effects.Privilege, "installs or removes programs": effects.Install, "controls aoctl itself": effects.Gate, "controls other programs": effects.Privilege, "rewrites the last commit": effects.Commit, "rewrites history": effects.Delete,
		"writes outside the project": effects.Outside, "changes what CI runs": effects.Unknown, "some path cannot be followed": effects.Unknown, "never heard of": effects.Unknown,
	} {
		if got := (Finding{Why: why}).Effect(); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
	if (Finding{Why: "x", Guarded: true}).Effect() != effects.Gate {
		t.Error("what is guarded is no gate")
	}
}
