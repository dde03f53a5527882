package agents

// The common names of the tools by which an agent puts something to its user.
const (
	AskUserQuestion = "AskUserQuestion"
	ExitPlanMode    = "ExitPlanMode"
)

// dialogs are such tools under their agents' own names, with inputs of their own shapes.
// They are known here, whatever a dialect translates, so that no rule takes one for
// something that it may allow.
var dialogs = map[string]map[string]string{
	"codex":    {"request_user_input": AskUserQuestion},
	"gemini":   {"ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode},
	"qwen":     {"ask_user_question": AskUserQuestion, "ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode},
	"copilot":  {"ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode},
	"opencode": {"question": AskUserQuestion, "plan_exit": ExitPlanMode},
	"cursor":   {"AskQuestion": AskUserQuestion, "CreatePlan": ExitPlanMode},
}
