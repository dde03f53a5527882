package spend

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// Amounts are read as they are written, and anything else is refused.
func TestAmounts(t *testing.T) {
	for text, want := range map[string]Amount{"$5": {Dollars: 5}, "$0.50": {Dollars: 0.5}, "2M": {Tokens: 2e6}, "500k": {Tokens: 5e5}, "1234": {Tokens: 1234}} {
		got, err := Parse(text)
		again, _ := Parse(got.String())
		if err != nil || got != want || again != want {
			t.Errorf("%s: %+v, %v; again %+v", text, got, err, again)
		}
	}
	for _, text := range []string{"", "$", "$0", "$-1", "$x", "$NaN", "$Inf", "$1e9", "0", "-1", "k", "M", "1.5M", "5$", "5 M", "9999999999M", "2MM", "2G"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// A limit is told when it is reached, at each multiple of it, and not again in between.
func TestLimitsAreToldOnce(t *testing.T) {
	start := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	m := NewMeter(Amount{Dollars: 5}, Amount{Tokens: 10e6}, start)
	for _, tt := range []struct {
		id     string
		after  time.Duration
		spent  Amount
		alerts string
	}{
		{"new", 0, Amount{4.99, 1e6}, ""},
		{"new", 0, Amount{5, 1e6}, "new"},
		{"new", 0, Amount{9, 1e6}, ""},
		{"new", 0, Amount{10.5, 2e6}, "new"},
		{"new", 0, Amount{0, 0}, ""}, // what an agent forgets is not told again
		{"new", 0, Amount{10.5, 2e6}, ""},
		{"old", 0, Amount{80, 90e6}, ""}, // spent before the meter began
		{"old", 0, Amount{81, 91e6}, ""},
		{"old", 0, Amount{85, 92e6}, "old"},
		{"new", 0, Amount{11, 9e6}, "day"},
		{"new", 0, Amount{11, 10e6}, ""},
		{"new", 2 * time.Hour, Amount{11, 12e6}, ""}, // another day
		{"new", 2 * time.Hour, Amount{11, 20.5e6}, "day"},
	} {
		began := start.Add(time.Minute)
		if tt.id == "old" {
			began = start.Add(-time.Hour)
		}
		got := ""
		for _, a := range m.Look(start.Add(tt.after), tt.id, began, tt.spent) {
			if got += a.SessionID; a.SessionID == "" {
				got += "day"
			}
		}
		if got != tt.alerts {
			t.Errorf("%s at %+v: told of %q, want %q", tt.id, tt.spent, got, tt.alerts)
		}
	}
	wild := NewMeter(Amount{Dollars: 5}, Amount{}, start)
	for spent, want := range map[Amount]int{{math.Inf(1), 0}: 1, {1e300, 0}: 1, {math.NaN(), -5}: 0, {-1, math.MinInt64}: 0} {
		if got := len(wild.Look(start, fmt.Sprint(spent), start, spent)); got != want {
			t.Errorf("%+v: %d alerts, want %d", spent, got, want)
		}
	}
	if none := NewMeter(Amount{}, Amount{}, start); none.On() || none.Look(start, "x", start, Amount{1e5, 1e10}) != nil {
		t.Error("a meter without limits speaks")
	}
}
