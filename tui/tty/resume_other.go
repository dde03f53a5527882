//go:build !unix

package tty

import tea "github.com/charmbracelet/bubbletea"

func NoticeResume(*tea.Program) (end func()) { return func() {} }
