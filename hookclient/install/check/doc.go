// Package check looks at the gates that stand in agents' settings, for doctor: whether
// each agent would run them, and what gets round them.
//
// For each agent it looks for the program and its version, reads every settings file that
// counts in a project, and takes apart the line of each hook that calls aoctl. A gate that
// an agent ignores is worse than none, because a person relies on it. So whatever turns
// hooks off is a finding too: a switch in a file, a flag of a process that runs, an alias of
// the shell, a variable that a project's settings set, a folder that is not trusted.
//
// Each agent has a file of its own, which says what that agent makes of its settings and was
// seen by running it; hooks.go has what they share. Findings are in the order in which a
// person reads them. A Fail is a way in which a call runs unasked, or a gate that refuses
// everything. Nothing is changed here: a Repair is handed out, and the caller carries it out.
//
// How one agent is looked at: All finds its program and asks for the version, then calls the
// function of that agent in checks. That reads the files (hookFiles), goes through the hooks of
// ours (installedHooks), judges each line and the members beside it (gateLine, gateTimeout), and
// last looks for what turns hooks off. Claude Code, whose settings are many files, goes the same
// way in files of its own (claude.go and those beside it).
//
// Everything that is read may be hostile: a project's file is somebody else's, and so is the
// command line of a process. It is read with a bound, never run, and shortened before it goes
// into a sentence.
//
// A Repair writes the hooks again as install would. It is offered only where that mends something
// and where the file is the user's alone; what a person wrote by hand is left to them.
package check
