// Package version says which aoctl this is.
//
// A release build sets version, commit and date by linker flags. Any other build has what the
// Go toolchain noted: the module's version, or "(devel)", and the commit it was built from.
// Protocol is the version that hook client and console must agree on. "aoctl version",
// doctor, the screen and the console's log say what Read returns.
package version

import (
	"runtime"
	"runtime/debug"

	"github.com/aoctl/aoctl/broker/wire"
)

// Set by the release build: -ldflags "-X github.com/aoctl/aoctl/cli/version.version=1.2.3 …".
var (
	version = ""
	commit  = ""
	date    = ""
)

// Info is what aoctl version --json prints.
type Info struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol string `json:"protocol"` // between hook client and console; both must have the same
}

// Read prefers what the release build was told, and falls back to what the Go
// toolchain noted. It is the same for the whole run of the program.
func Read() Info {
	info := Info{
		Version: version, Commit: commit, Date: date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Protocol: wire.Version,
	}
	if built, ok := debug.ReadBuildInfo(); ok {
		if info.Version == "" && built.Main.Version != "" {
			info.Version = built.Main.Version
		}
		for _, s := range built.Settings {
			switch {
			case s.Key == "vcs.revision" && info.Commit == "":
				info.Commit = s.Value
			case s.Key == "vcs.time" && info.Date == "":
				info.Date = s.Value
			}
		}
	}
	if info.Version == "" {
		info.Version = "(devel)"
	}
	return info
}
