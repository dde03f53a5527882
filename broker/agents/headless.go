package agents

// Headless reports whether what a hook's environment says shows that no user sits before
// its agent. Nothing that is not known to be so counts: a user who waits for a call that
// was put off would wait in vain.
//
// Claude Code sets both variables for its hooks itself: under -p they are sdk-cli and 0, in
// a terminal cli and 1 (seen with 2.1.329).
func Headless(agent string, env map[string]string) bool {
	return agent == claudeName && env["CLAUDE_CODE_ENTRYPOINT"] == "sdk-cli" && env["CLAUDE_CODE_SESSION_ATTENDED"] == "0"
}
