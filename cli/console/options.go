package console

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	telemetry telemetryOptions
	retentionOptions
	waitOptions

	empty  string            // what happens to calls while no console is attached; "" where there is a screen
	late   string            // what becomes of a call that nobody answers in time: deny or defer
	Demo   bool              // the agents are scripted; the console says so
	theme  string            // of the screen: one of config.Themes
	config config.File       // what the settings file says; empty where none is read
	guard  bool              // what agents wrote is read in a process of its own first
	given  map[string]string // the broker's flags of the command line; of a broker that was taken here also on-empty
	said   string            // to be told on the screen at once; "" for nothing
}

// Flags gives cmd the console's flags. Names and defaults of those that a settings file may
// set are package config's; a test compares the two.
func (o *Options) Flags(cmd *cobra.Command) {
	o.brokerFlags(cmd)
	o.screenFlags(cmd)
}

// brokerFlags are those that say how the broker is to be.
func (o *Options) brokerFlags(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", config.DefaultTimeout, "most time to answer a call before it is refused (env "+config.TimeoutEnv+", seconds)")
	cmd.Flags().StringVar(&o.keep, "keep", "", "archive calls and events that are older: 90d, 12w (default: keep everything)")
	cmd.Flags().BoolVar(&o.observe, "observe", false, "hold nothing: record every call with what the rules would have said")
	cmd.Flags().BoolVar(&o.noOut, "no-output", false, "record of each call that it ran and how long, but nothing of what it printed or returned")
	cmd.Flags().StringVar(&o.late, "on-timeout", string(broker.Deny), "what happens to a call that nobody answers in time: deny; or where the agent can do that defer, which keeps it for later, or ask, which leaves it to the agent's own prompt")
	o.limits.flags(cmd)
	o.spend.flags(cmd)
	o.telemetry.flags(cmd)
	cmd.Flags().StringVar(&o.listen, "listen", "", "listen on this loopback address as well, such as 127.0.0.1:8765: for containers and forwarded ports, with tokens")
	cmd.Flags().BoolVar(&o.anyone, "listen-operators", false, "over --listen take operator tokens also from processes that cannot be found on this machine")
	_ = cmd.RegisterFlagCompletionFunc("on-timeout", cobra.FixedCompletions([]string{string(broker.Deny), string(broker.Defer), string(broker.Ask)}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	cmd.Flags().StringVar(&o.onWait, "on-wait", "", "run this with sh for each call that begins to wait, with the call as JSON on its standard input")
	cmd.Flags().BoolVar(&o.onWaitToken, "on-wait-token", false, "tell the --on-wait command a token with which this call alone can be answered, once; dangerous calls have none")
}

// screenFlags are those about the screen alone.
func (o *Options) screenFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.theme, "theme", config.Themes[0], "the colours: "+strings.Join(config.Themes, ", "))
	_ = cmd.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(config.Themes, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	o.attention.flags(cmd)
}

// givenFlags are the flags on cmd's command line that say how the broker is to be, by their names. It
// must be asked before the settings file fills the others.
func givenFlags(cmd *cobra.Command) map[string]string {
	var (
		o     Options
		of    cobra.Command
		given = map[string]string{}
	)
	o.brokerFlags(&of)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if of.Flags().Lookup(f.Name) != nil {
			given[f.Name] = f.Value.String()
		}
	})
	return given
}

// Read completes o from the environment where no flag was given, and checks it. The errors
// are usage.Error but for the socket's. It must come after the settings file has filled the
// flags.
func (o *Options) Read(cmd *cobra.Command) error {
	if err := o.readBroker(cmd); err != nil {
		return err
	}
	return o.readScreen(cmd)
}

// readBroker is the part of Read about the broker, and where it listens.
func (o *Options) readBroker(cmd *cobra.Command) (err error) {
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
	if err := o.telemetry.read(cmd); err != nil {
		return err
	}
	if err := config.CheckLate("--on-timeout", o.late); err != nil {
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
	// An empty --on-wait most likely stands for a variable that is not set.
	if cmd.Flags().Changed("on-wait") && strings.TrimSpace(o.onWait) == "" {
		return usage.Error{Text: "--on-wait names no command", Hint: "such as --on-wait 'jq -r .tool_name >> ~/asked'"}
	}
	if o.onWaitToken && o.onWait == "" {
		return usage.Error{Text: "--on-wait-token says something about --on-wait, which is not there", Hint: "give --on-wait COMMAND as well"}
	}
	o.guard = true
	o.Socket, err = client.SocketPath(cmd)
	return err
}

// readScreen is the part of Read about the screen.
func (o *Options) readScreen(cmd *cobra.Command) (err error) {
	if err = config.CheckTheme("--theme", o.theme); err != nil {
		return err
	}
	return o.attention.read(cmd)
}
