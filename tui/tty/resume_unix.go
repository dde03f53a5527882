//go:build unix

package tty

import (
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
)

// NoticeResume tells p when this process goes on after it was stopped by a signal:
// keys that were typed meanwhile were not meant for what is drawn then. It returns how
// to end.
func NoticeResume(p *tea.Program) (end func()) {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-resumed:
				p.Send(tea.ResumeMsg{})
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(resumed)
		close(done)
	}
}
