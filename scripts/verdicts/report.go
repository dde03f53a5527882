package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/safe"
)

// report prints one line for each fault, the clients side by side, and returns what is
// not as it must be.
func report(out io.Writer, results []result, brief bool) (bad []string) {
	counts := map[verdict]int{}
	var longest time.Duration
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].fault == results[0].fault {
			n++
		}
		group := results[:n]
		results = results[n:]
		wrongs := 0
		for _, r := range group {
			counts[r.shown()]++
			if over := r.outcome.took - (r.limit - beyond - slack); r.limit > 0 && over > longest {
				longest = over
			}
			if w := r.wrong(); w != "" {
				wrongs++
				bad = append(bad, r.describe(w))
			}
		}
		if !brief || wrongs > 0 {
			fmt.Fprintln(out, groupLine(group))
		}
	}
	fmt.Fprintf(out, "\n%s; the longest ended %d ms after its client's deadline\n", sums(counts), longest.Milliseconds())
	return bad
}

// groupLine shows a fault's runs in their order: aoctl hook bare and guarded, then
// aoctl-hook bare and guarded.
func groupLine(group []result) string {
	var verdicts, exits, reasons []string
	var longest time.Duration
	for _, r := range group {
		verdicts = append(verdicts, string(r.shown()))
		exits = append(exits, r.exit())
		longest = max(longest, r.outcome.took)
		if reason := strings.ReplaceAll(r.reason, "\n", " "); len(reasons) == 0 || reason != "" && len(reason) < len(reasons[0]) {
			reasons = []string{reason}
		}
	}
	reason := "not tried: " + group[0].skipped
	if group[0].skipped == "" {
		reason = safe.Cut(safe.Line(reasons[0]), 150)
	}
	return fmt.Sprintf("%-38s %-22s %-12s %5d ms  %s", group[0].fault.name, merged(verdicts), merged(exits), longest.Milliseconds(), reason)
}

// merged writes equal words once.
func merged(words []string) string {
	for _, w := range words {
		if w != words[0] {
			return strings.Join(words, " ")
		}
	}
	return fmt.Sprintf("%s ×%d", words[0], len(words))
}

func (r result) shown() verdict {
	switch {
	case r.skipped != "":
		return "-"
	case r.err != nil:
		return "VOID"
	}
	return r.verdict
}

func (r result) exit() string {
	switch {
	case r.skipped != "" || r.outcome.orphan:
		return "-"
	case r.outcome.exit < 0:
		return "signal"
	}
	return fmt.Sprint(r.outcome.exit)
}

func (r result) describe(wrong string) string {
	return fmt.Sprintf("  %s, %s (%s): %s exit %s after %d ms: %s: %s", r.fault.name, r.client.name, r.form, r.shown(), r.exit(),
		r.outcome.took.Milliseconds(), wrong, safe.Cut(safe.Line(r.reason), 400))
}

func sums(counts map[verdict]int) string {
	var parts []string
	for _, v := range []verdict{deny, allow, ask, left, open, "VOID", "-"} {
		if n := counts[v]; n > 0 || v == open {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Replace(strings.Join(parts, ", "), " -", " not tried", 1)
}

// mixedReport sums up the mixed runs.
func mixedReport(out io.Writer, results []result) (bad []string) {
	if len(results) == 0 {
		return nil
	}
	counts := map[verdict]int{}
	for _, r := range results {
		counts[r.shown()]++
		if w := r.wrong(); w != "" {
			bad = append(bad, "  mixed: "+strings.TrimSpace(r.describe(w)))
		}
	}
	fmt.Fprintf(out, "%d mixed runs: %s\n", len(results), sums(counts))
	return bad
}

// particular is what differs between two runs of the same cause.
var particular = regexp.MustCompile(`/[^ ;:]*|[0-9a-f]{8}-[0-9a-f-]{27}|\d+`)

// alike finds causes of refusal that read the same: whoever reads them must be able to
// tell a person's no from a missing console.
func alike(results []result) (bad []string) {
	causes := map[string]string{}
	for _, r := range results {
		if r.fault.cause == "" || r.form != "bare" {
			continue
		}
		text := particular.ReplaceAllString(r.reason, "…")
		if other, seen := causes[text]; seen && other != r.fault.cause {
			bad = append(bad, fmt.Sprintf("  the causes %q and %q read alike: %s", other, r.fault.cause, safe.Line(text)))
		}
		causes[text] = r.fault.cause
	}
	return bad
}
