//go:build !unix

package tui

import tea "github.com/charmbracelet/bubbletea"

func noticeResume(*tea.Program) (end func()) { return func() {} }
