package wire

// What a runner, the program that holds an agent's process by both ends, and the broker
// tell each other: RunStart with POST /runs, then RunOrders with GET /runs/{id}/orders and
// RunReports with POST /runs/{id}/reports, where id is the session's.

// RunStart says that a runner is about to start an agent's process, or did. Everything in it is
// the runner's word. The broker finds the runner's process by the connection, and believes
// AgentPID only below that.
type RunStart struct {
	SessionID string   `json:"session_id"`
	Agent     string   `json:"agent"`               // its dialect: "claude"
	Name      string   `json:"name,omitempty"`      // as the user calls the session
	CWD       string   `json:"cwd"`                 // absolute
	Program   string   `json:"program"`             // the agent's, absolute
	Args      []string `json:"args,omitempty"`      // the user's own for it; neither the prompt nor what the protocol needs
	Model     string   `json:"model,omitempty"`     //
	MaxTurns  int      `json:"max_turns,omitempty"` // 0: no limit
	Prompt    string   `json:"prompt,omitempty"`    // the first message; "" when a session is resumed for a call that was put off
	Resumed   bool     `json:"resumed,omitempty"`   // an earlier process had the session
	Detached  bool     `json:"detached,omitempty"`  // in the background
	Log       string   `json:"log,omitempty"`       // absolute path of what the runner writes down
	AgentPID  int      `json:"agent_pid,omitempty"` // 0 while there is none

	RunEnv
}

// RunEnv is the environment that the agent is started with, without any value: that is in a file
// of the user's, of which this is the seal; see package cli.
type RunEnv struct {
	EnvSeal    string   `json:"env_seal,omitempty"`
	EnvNames   []string `json:"env_names,omitempty"`   // of its variables
	EnvDiffers []string `json:"env_differs,omitempty"` // those that are not as they were at the session's last start
}

// The kinds of order.
const (
	OrderMessage   = "message"   // say Text to the agent as its user
	OrderInterrupt = "interrupt" // end the turn, keep the session
	OrderEnd       = "end"       // interrupt, then end the process, by force when it must be
	OrderMode      = "mode"      // change the permission mode to Text
	OrderModel     = "model"     // change the model to Text
)

// RunOrder is one thing that a runner shall do. It is told again until it is reported done. The
// ids of orders never come twice for two orders, so a runner that has done one passes over it
// when it is told again.
type RunOrder struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// RunOrders answers GET /runs/{id}/orders?timeout=SECONDS, at the latest after that time.
type RunOrders struct {
	Orders []RunOrder `json:"orders"` // in their order; those that were not reported done
}

// The kinds of report.
const (
	ReportAgent   = "agent"   // the agent's process runs: PID
	ReportWorking = "working" // a turn began
	ReportSaid    = "said"    // the agent said Text
	ReportIdle    = "idle"    // the turn ended: Result, Cost, Usage, Turns, perhaps Error
	ReportDone    = "done"    // order OrderID was carried out, or Error says why not
	ReportStep    = "step"    // Text: a step of ending the process, and what was seen
	ReportNote    = "note"    // Text: something that the runner does not know or that went wrong, and passed over
	ReportEnded   = "ended"   // the process is over: ExitCode, Result, perhaps Error; the last report
)

// RunReport is what a runner saw or did. Which fields are set depends on Kind; the constants say
// which.
type RunReport struct {
	Kind     string   `json:"kind"`
	PID      int      `json:"pid,omitempty"`
	Text     string   `json:"text,omitempty"`
	OrderID  string   `json:"order_id,omitempty"`
	Result   string   `json:"result,omitempty"`   // the agent's word for how the turn ended: "completed", "aborted_tools", "tool_deferred", …
	Cost     float64  `json:"cost_usd,omitempty"` // of this process so far
	Usage    RunUsage `json:"usage,omitzero"`     // of this process so far
	Turns    int      `json:"turns,omitempty"`    // of this process so far
	ExitCode *int     `json:"exit_code,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// RunUsage counts tokens.
type RunUsage struct {
	Input      int64 `json:"input,omitempty"`
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
}

// Add is the sum of u and o.
func (u RunUsage) Add(o RunUsage) RunUsage {
	return RunUsage{
		Input: u.Input + o.Input, Output: u.Output + o.Output,
		CacheRead: u.CacheRead + o.CacheRead, CacheWrite: u.CacheWrite + o.CacheWrite,
	}
}
