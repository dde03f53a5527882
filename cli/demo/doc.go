// Package demo is "aoctl demo": a console with four scripted agents, to see it work.
//
// The demo has a folder of its own with the state, the socket and the agents'
// projects, and removes it at the end. Its console is the real one (package console)
// and its agents ask through the real hook client, each from a process of its own,
// "aoctl demo-agent", as real agents do. So everything can be tried: allowing,
// refusing, rules, a stop, a freeze.
//
// Nothing that the agents ask for is ever run, whatever the answer. script.go has the
// calls, and what each agent says when one is allowed or refused; agent.go starts the
// agents and plays them. Nothing of the user's is read or changed: before the console
// opens, the demo points its own environment, and that of all it starts, at its
// folder.
//
// Some calls are hostile on purpose: a description that asks for a key, text that
// turns the line around, a command behind four hundred blanks. The screen must tell
// the truth of those too.
package demo

import "github.com/spf13/cobra"

// Commands are the demo, and the agents that it starts, which are hidden.
func Commands() []*cobra.Command {
	return []*cobra.Command{newDemoCommand(), newDemoAgentCommand()}
}
