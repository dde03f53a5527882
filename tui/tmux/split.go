package tmux

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Split says how a new pane is opened beside ours.
type Split struct {
	Below   bool     // below, not to the right
	Size    string   // cells, or a share such as 40%; tmux's own choice when empty
	Env     []string // NAME=value, for the program
	Program []string // with its arguments; at least two, so that no shell reads them
}

var splitSize = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9][0-9]{0,3}|[1-9][0-9]?%)$`) })

// ValidSize reports whether size says how large a pane is to be: cells, or a share
// such as 40%.
func ValidSize(size string) bool { return splitSize().MatchString(size) }

// Open opens the pane, in the folder of this process, and returns its id.
func (s Server) Open(ctx context.Context, how Split) (string, error) {
	direction := "-h"
	if how.Below {
		direction = "-v"
	}
	args := []string{"split-window", direction, "-t", s.Pane, "-P", "-F", "#{pane_id}"}
	if how.Size != "" {
		args = append(args, "-l", how.Size)
	}
	for _, kv := range how.Env {
		args = append(args, "-e", literal(kv))
	}
	// Everything behind it is the program and no option of tmux.
	args = append(args, "--")
	for _, a := range how.Program {
		args = append(args, literal(a))
	}
	out, err := s.run(ctx, args...)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(out)
	if !ValidPane(id) {
		return "", fmt.Errorf("tmux split-window: it named no pane but %q", id)
	}
	return id, nil
}

// literal keeps tmux from taking the end of an argument for the end of its command.
func literal(arg string) string {
	if head, ends := strings.CutSuffix(arg, ";"); ends {
		return head + `\;`
	}
	return arg
}
