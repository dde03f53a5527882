package config

import (
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/cli/usage"
)

func TestTimeoutFromEnv(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "600": 10 * time.Minute, "1": time.Second, "1.5": 1500 * time.Millisecond, "86400": 24 * time.Hour,
	} {
		if got, err := TimeoutFromEnv(text); err != nil || got != want {
			t.Errorf("TimeoutFromEnv(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "0.5", "86401", "1e300", "Inf", "NaN", "10m", " 5", "x"} {
		_, err := TimeoutFromEnv(text)
		if _, ok := errors.AsType[usage.Error](err); !ok {
			t.Errorf("TimeoutFromEnv(%q) = %v, want a usage error", text, err)
		}
	}
}
