package runner

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/wire"
)

// captured are result lines of Claude Code 2.1.329: two turns and an interrupted one of a
// process, with four replies of the model, then the first turn of a process that resumed it.
func captured(t *testing.T) (lines []string) {
	t.Helper()
	f, err := os.Open("testdata/results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if in.Err() != nil || len(lines) != 4 {
		t.Fatalf("%d lines: %v", len(lines), in.Err())
	}
	return lines
}

// What is reported is what the process has used so far: no turn alone, and nothing of an
// earlier process.
func TestUsageOfTheProcess(t *testing.T) {
	lines := captured(t)
	for _, tt := range []struct {
		name  string
		lines []string
		want  []wire.RunUsage
		cost  []float64
	}{
		{"three turns", lines[:3], []wire.RunUsage{{Input: 24, Output: 16}, {Input: 36, Output: 24}, {Input: 48, Output: 32}}, []float64{0.000416, 0.000624, 0.000832}},
		{"resumed", lines[3:], []wire.RunUsage{{Input: 12, Output: 8}}, []float64{0.000208}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := stands(t, "do it", true)
			for i, line := range tt.lines {
				r.new()
				r.says(line)
				idle := told(r.new(), wire.ReportIdle)
				if len(idle) != 1 || idle[0].Usage != tt.want[i] || math.Abs(idle[0].Cost-tt.cost[i]) > 1e-9 || idle[0].Turns != i+1 {
					t.Errorf("turn %d: reported %+v, want %+v for %v", i+1, idle, tt.want[i], tt.cost[i])
				}
			}
		})
	}
}

// An agent that tells nothing by model is taken at its totals; what makes no sense is not
// handed on, because the console would refuse the report.
func TestTallyOfOtherAgents(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  tally
	}{
		{
			"older",
			[]string{`{"total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}`, `{"total_cost_usd":0.75,"usage":{"input_tokens":5,"cache_read_input_tokens":7}}`},
			tally{0.75, wire.RunUsage{Input: 8, Output: 4, CacheRead: 7}},
		},
		{
			"several models",
			[]string{`{"model_usage_since_last_result":{"a":{"inputTokens":1,"costUSD":0.5},"b":{"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"costUSD":0.25}}}`},
			tally{0.75, wire.RunUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}},
		},
		{"nothing new", []string{`{"total_cost_usd":0.5,"usage":{"input_tokens":3},"model_usage_since_last_result":{}}`}, tally{}},
		{"another shape", []string{`{"total_cost_usd":0.5,"usage":{"input_tokens":3},"model_usage_since_last_result":[1]}`}, tally{0.5, wire.RunUsage{Input: 3}}},
		{
			"nonsense",
			[]string{`{"total_cost_usd":-1,"usage":{"input_tokens":-3,"output_tokens":9223372036854775807}}`, `{"total_cost_usd":1e300,"usage":{"output_tokens":9223372036854775807}}`},
			tally{mostCost, wire.RunUsage{Output: mostTokens}},
		},
	} {
		var got tally
		for _, line := range tt.lines {
			var m message
			if err := json.NewDecoder(strings.NewReader(line)).Decode(&m); err != nil {
				t.Fatal(err)
			}
			got.add(m)
		}
		if got != tt.want {
			t.Errorf("%s: counted %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
