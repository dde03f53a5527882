package console

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/usage"
)

// Options are how a console is to be: its flags, completed. The unexported fields come from
// Flags and Read alone; a caller sets the others after Read, as the demo does.
type Options struct {
	Socket    string
	Timeout   time.Duration // 0 unless the operator chose one: then it is the most that any call gets
	attention attentionOptions
	observe   bool   // hold nothing
	noOut     bool   // keep nothing of what tools give back
	listen    string // loopback address to listen on over TCP as well; empty for none
	anyone    bool   // take operator tokens over TCP also from processes that cannot be found here
	limits    limitOptions
	spend     spendOptions
	late      string        // what becomes of a call that nobody answers in time: deny or defer
	keep      string        // how long the log is kept; "" for ever
	kept      time.Duration // the same, 0 for ever
	Demo      bool          // the agents are scripted; the console says so
	theme     string        // of the screen: one of config.Themes
	config    config.File   // what the settings file says; empty where none is read
	guard     bool          // what agents wrote is read in a process of its own first
}

// Flags gives cmd the console's flags. Names and defaults of those that a settings file may
// set are package config's; a test compares the two.
func (o *Options) Flags(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", config.DefaultTimeout, "most time to answer a call before it is refused (env "+config.TimeoutEnv+", seconds)")
	cmd.Flags().StringVar(&o.keep, "keep", "", "archive calls and events that are older: 90d, 12w (default: keep everything)")
	cmd.Flags().BoolVar(&o.observe, "observe", false, "hold nothing: record every call with what the rules would have said")
	cmd.Flags().BoolVar(&o.noOut, "no-output", false, "record of each call that it ran and how long, but nothing of what it printed or returned")
	cmd.Flags().StringVar(&o.late, "on-timeout", string(broker.Deny), "what happens to a call that nobody answers in time: deny, or defer, which keeps it for later where the agent can do that")
	o.limits.flags(cmd)
	o.spend.flags(cmd)
	cmd.Flags().StringVar(&o.listen, "listen", "", "listen on this loopback address as well, such as 127.0.0.1:8765: for containers and forwarded ports, with tokens")
	cmd.Flags().BoolVar(&o.anyone, "listen-operators", false, "over --listen take operator tokens also from processes that cannot be found on this machine")
	cmd.Flags().StringVar(&o.theme, "theme", config.Themes[0], "the colours: "+strings.Join(config.Themes, ", "))
	for flag, values := range map[string][]string{"on-timeout": {string(broker.Deny), string(broker.Defer)}, "theme": config.Themes} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	}
	o.attention.flags(cmd)
}

// Read completes o from the environment where no flag was given, and checks it. The errors
// are usage.Error but for the socket's. It must come after the settings file has filled the
// flags.
func (o *Options) Read(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("timeout") {
		t, err := config.TimeoutFromEnv(os.Getenv(config.TimeoutEnv))
		if err != nil {
			return err
		}
		o.Timeout = t
	}
	if o.Timeout != 0 || cmd.Flags().Changed("timeout") {
		if err := config.CheckTimeout("--timeout", o.Timeout); err != nil {
			return err
		}
	}
	if err := o.limits.read(cmd); err != nil {
		return err
	}
	if err := o.spend.read(); err != nil {
		return err
	}
	if err := config.CheckLate("--on-timeout", o.late); err != nil {
		return err
	}
	if err := config.CheckTheme("--theme", o.theme); err != nil {
		return err
	}
	// A flag that does nothing is refused: whoever gives it believes that it does.
	if o.anyone && o.listen == "" {
		return usage.Error{Text: "--listen-operators says something about --listen, which is not there", Hint: "give --listen 127.0.0.1:8765 as well"}
	}
	if cmd.Flags().Changed("keep") {
		kept, err := config.ParseKeep("--keep", o.keep)
		if err != nil {
			return err
		}
		o.kept = kept
	}
	if err := o.attention.read(cmd); err != nil {
		return err
	}
	socket, err := client.SocketPath(cmd)
	o.Socket, o.guard = socket, true
	return err
}
