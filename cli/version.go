package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/wire"
)

// Set by the release build: -ldflags "-X github.com/aoctl/aoctl/cli.version=1.2.3 …".
var (
	version = ""
	commit  = ""
	date    = ""
)

// buildInfo is what aoctl version --json prints.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol string `json:"protocol"` // between hook client and console; both must have the same
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints which aoctl this is and what it was built from.",
		Example: "  aoctl version\n  aoctl version --json | jq -r .version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := readBuildInfo()
			if asJSON {
				line, err := jsonLine(info)
				if err != nil {
					return err
				}
				return printLine(cmd.OutOrStdout(), string(line))
			}
			text := fmt.Sprintf("aoctl %s (%s, %s)", info.Version, info.Go, info.Platform)
			if info.Commit != "" {
				text += " " + info.Commit
			}
			return printLine(cmd.OutOrStdout(), text)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// readBuildInfo prefers what the release build was told, and falls back to what
// the Go toolchain noted.
func readBuildInfo() buildInfo {
	info := buildInfo{
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
