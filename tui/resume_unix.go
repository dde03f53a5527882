//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
)

// noticeResume tells p when this process goes on after it was stopped by a signal: keys
// that were typed meanwhile were not meant for what is drawn then. It returns how to end.
func noticeResume(p *tea.Program) (end func()) {
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
