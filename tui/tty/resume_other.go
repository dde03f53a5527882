//go:build !unix

package tty

import tea "github.com/charmbracelet/bubbletea"

// NoticeResume does nothing here: there is no such signal.
func NoticeResume(*tea.Program) (end func()) { return func() {} }
