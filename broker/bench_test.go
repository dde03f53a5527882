package broker_test

import (
	"fmt"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
)

// BenchmarkSubmitAllowed is a hook's question that one of 1,000 rules answers: all of
// the broker's work for it, without the disk of a store.
func BenchmarkSubmitAllowed(b *testing.B) {
	st := brokertest.NewMemory()
	br, err := broker.New(b.Context(), st, broker.Options{Rate: -1, Alive: func(broker.Process) bool { return true }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = br.Close() })
	for i := range 1000 {
		pattern := fmt.Sprintf("tool%d sub *", i)
		if i == 500 {
			pattern = "npm run *"
		}
		r := rules.Rule{Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": pattern}, Enabled: true, Priority: rules.DefaultPriority}
		if _, err := br.SaveRule(b.Context(), r, operator); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		q := bash(fmt.Sprint("s", n/1000), fmt.Sprint(n), "npm run test -- src/app.test.ts")
		q.CWD, q.Trusted = dir, true
		r, err := br.Submit(b.Context(), q)
		if err != nil || r.State != broker.Allowed {
			b.Fatal(r.State, err)
		}
	}
}
