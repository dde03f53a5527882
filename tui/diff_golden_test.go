package tui

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

const serverGo = `// Package http serves the API.
package http

import (
	"net"
	"sync"
)

// Server is the HTTP server.
type Server struct {
	l    net.Listener
	once sync.Once
	err  error
}

// Addr is where it listens.
func (s *Server) Addr() string {
	return s.l.Addr().String()
}

func (s *Server) Close() error {
	return s.l.Close()
}

func (s *Server) Name() string {
	return "http"
}
`

const salesNotebook = `{"cells": [
 {"cell_type": "markdown", "id": "c0", "metadata": {}, "source": "# Sales\n"},
 {"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "execution_count": null, "source": ["import pandas as pd\n", "sales = pd.read_csv('sales.csv')\n"]}],
 "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}`

func edits(path string, list ...[2]string) broker.Request {
	var items []map[string]any
	for _, e := range list {
		items = append(items, map[string]any{"old_string": e[0], "new_string": e[1]})
	}
	return tuitest.ToolCall("MultiEdit", map[string]any{"file_path": path, "edits": items})
}

// TestGoldenDiffs draws each kind of change, in its file.
func TestGoldenDiffs(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	goPath := home + "/internal/http/server.go"
	patch := "*** Begin Patch\n*** Update File: internal/http/server.go\n@@ // Addr is where it listens.\n func (s *Server) Addr() string {\n-\treturn s.l.Addr().String()\n+\tif s.l == nil {\n+\t\treturn \"\"\n+\t}\n+\treturn s.l.Addr().String()\n }\n*** Add File: docs/close.md\n+# Close\n+It may be called twice.\n*** Delete File: old.txt\n*** End Patch\n"
	for name, sc := range map[string]struct {
		request broker.Request
		file    string
		err     error
		keys    []string
	}{
		"edit located":    {request: editCall("r1", seconds(5)), file: serverGo, keys: []string{"enter"}},
		"edit sides":      {request: editCall("r1", seconds(5)), file: serverGo, keys: []string{"enter", "v"}},
		"edit unfolded":   {request: editCall("r1", seconds(5)), file: serverGo, keys: []string{"+", "+", "+"}},
		"edit no context": {request: editCall("r1", seconds(5)), file: serverGo, keys: []string{"-"}},
		"edit missing":    {request: editCall("r1", seconds(5)), err: fs.ErrNotExist},
		"edit not found":  {request: editCall("r1", seconds(5)), file: "package http\n"},
		"edit many":       {request: tuitest.ToolCall("Edit", map[string]any{"file_path": goPath, "old_string": "func (s *Server)", "new_string": "func (srv *Server)"}), file: serverGo},
		"edit all":        {request: tuitest.ToolCall("Edit", map[string]any{"file_path": goPath, "old_string": "func (s *Server)", "new_string": "func (srv *Server)", "replace_all": true}), file: serverGo, keys: []string{"enter"}},
		"edit CRLF":       {request: editCall("r1", seconds(5)), file: strings.ReplaceAll(serverGo, "\n", "\r\n")},
		"edit new file":   {request: tuitest.ToolCall("Edit", map[string]any{"file_path": home + "/x.md", "old_string": "", "new_string": "# New\n\nText"}), err: fs.ErrNotExist},
		"edit binary":     {request: editCall("r1", seconds(5)), file: "\x7fELF\x00\x01"},
		"edits in turn":   {request: edits(goPath, [2]string{`return "http"`, `return "api"`}, [2]string{`return "api"`, `return s.name`}, [2]string{"gone", "x"}), file: serverGo, keys: []string{"enter"}},
		"write CRLF":      {request: tuitest.ToolCall("Write", map[string]any{"file_path": home + "/a.txt", "content": "one\r\ntwo\r\n3"}), file: "one\ntwo\n"},
		"write same":      {request: tuitest.ToolCall("Write", map[string]any{"file_path": home + "/a.txt", "content": "one\ntwo\n"}), file: "one\ntwo\n"},
		"notebook":        {request: tuitest.ToolCall("NotebookEdit", map[string]any{"notebook_path": home + "/sales.ipynb", "cell_id": "c1", "new_source": "import pandas as pd\nsales = pd.read_csv('sales.csv', parse_dates=['day'])\n", "edit_mode": "replace"}), file: salesNotebook},
		"notebook insert": {request: tuitest.ToolCall("NotebookEdit", map[string]any{"notebook_path": home + "/sales.ipynb", "cell_id": "c0", "cell_type": "markdown", "new_source": "Text", "edit_mode": "insert"}), file: salesNotebook},
		"notebook delete": {request: tuitest.ToolCall("NotebookEdit", map[string]any{"notebook_path": home + "/sales.ipynb", "cell_id": "cell-1", "new_source": "", "edit_mode": "delete"}), file: salesNotebook},
		"patch":           {request: tuitest.ToolCall("apply_patch", map[string]any{"command": patch}), file: serverGo, keys: []string{"enter"}},
		"patch misplaced": {request: tuitest.ToolCall("apply_patch", map[string]any{"command": "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@ func f() {\n-\told\n+\tnew\n*** End of File\n*** End Patch\n"}), file: serverGo},
		"patch unread":    {request: tuitest.ToolCall("apply_patch", map[string]any{"command": "*** Begin Patch\n*** Rename File: a\n*** End Patch\n"}), file: serverGo},
	} {
		t.Run(name, func(t *testing.T) {
			sc.request.CWD = home
			goldenScene(t, "diff-"+name, func(width, height int) *still {
				s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{sc.request}}, nil, termenv.Ascii)
				s.draw(width, height)
				s.files(sc.file, sc.err)
				s.draw(width, height, sc.keys...)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}

// TestGoldenDiffColours holds a located edit in the colours of every kind of terminal.
func TestGoldenDiffColours(t *testing.T) {
	var b strings.Builder
	for _, dark := range []bool{true, false} {
		for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI, termenv.Ascii} {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{editCall("r1", seconds(5))}}, nil, profile)
			s.m.Styles = draw.NewStyles(draw.DefaultPalette(), profile, dark, true)
			s.draw(80, 24)
			s.files(serverGo, nil)
			view := s.draw(80, 24, "enter")
			tuitest.CheckView(t, view, 80, 24)
			fmt.Fprintf(&b, "dark %v, profile %d\n%s\n\n", dark, profile, strings.ReplaceAll(view, "\x1b", "␛"))
		}
	}
	tuitest.Golden(t, "diff-styled", b.String())
}

// Colours, words and lazy rows move nothing: what is drawn is the same without them.
func TestColoursMoveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	r, file := diff5000()
	plain := newStill(t, broker.Snapshot{Requests: []broker.Request{r}}, nil, termenv.Ascii)
	coloured := newStill(t, broker.Snapshot{Requests: []broker.Request{r}}, nil, termenv.TrueColor)
	for _, s := range []*still{plain, coloured} {
		s.draw(200, 50, "enter", "v")
		s.files(file, nil)
	}
	plain.m.card().Sections = changesIn(t, r, file)
	plain.m.shared.sheets.Clear()
	for range 30 {
		a, b := plain.draw(200, 50, "ctrl+d", "j"), coloured.draw(200, 50, "ctrl+d", "j")
		if diff := cmp.Diff(strings.Split(a, "\n"), strings.Split(tuitest.OwnColours.ReplaceAllString(b, ""), "\n")); diff != "" {
			t.Fatalf("-plain +coloured\n%s", diff)
		}
	}
}

func changesIn(t *testing.T, r broker.Request, file string) []change.Section {
	t.Helper()
	cs, ok := change.ChangesOf(r)
	if !ok {
		t.Fatal("no changes")
	}
	files := map[string]change.File{}
	for _, path := range cs.Targets(r.CWD) {
		files[path] = change.Result([]byte(file), nil, tuitest.Noon)
	}
	return cs.Compare(files, r.CWD, diff.OffScreen)
}
