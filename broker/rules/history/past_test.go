package history

import "testing"

// What a history says of how a call ended.
func TestHowItEnded(t *testing.T) {
	for _, tt := range []struct {
		state, by, want string
		refused         bool
	}{
		{"denied", "operator", "denied by a person", true},
		{"denied", "process", "denied by a person", true},
		{"denied", "agent", "denied by a person", true},
		{"denied", "rule", "denied by a rule", true},
		{"denied", "stop", "denied", false},
		{"allowed", "operator", "allowed by a person", false},
		{"allowed", "rule", "allowed by a rule", false},
		{"expired", "deadline", "expired", false},
		{"answered", "operator", "answered", false},
	} {
		p := Past{State: tt.state, ByKind: tt.by}
		if p.ended() != tt.want || p.refused() != tt.refused {
			t.Errorf("%s by %s: %s, refused %t", tt.state, tt.by, p.ended(), p.refused())
		}
	}
}
