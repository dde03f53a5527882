package config

import (
	"strings"

	"github.com/aoctl/aoctl/cli/usage"
)

// Near is the setting that was probably meant by a name, "" when none comes close. Case and
// underscores are forgiven.
func Near(name string) string {
	near := usage.Near(strings.ReplaceAll(strings.ToLower(name), "_", "-"), Names())
	if len(near) == 0 {
		return ""
	}
	return near[0]
}
