package broker

import (
	"fmt"
	"path/filepath"
)

// Program is what people call the process that did something. A command of aoctl has ended by the
// time that anybody reads of it, so its number tells nothing. The text is foreign.
func (a Actor) Program() string {
	switch name := filepath.Base(a.Exe); {
	case a.Exe == "":
		return fmt.Sprintf("process %d", a.PID)
	case name == "aoctl":
		return "an aoctl command"
	default:
		return fmt.Sprintf("%s (process %d)", Clip(name), a.PID)
	}
}
