package agents

// The common names of the tools by which an agent puts something to its user.
const (
	AskUserQuestion = "AskUserQuestion"
	ExitPlanMode    = "ExitPlanMode"
)
