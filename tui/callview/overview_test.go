package callview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A patch of many files begins with a list of them: which go, and which move.
func TestManyFiles(t *testing.T) {
	text := "*** Begin Patch\n"
	for i := range 4 {
		text += fmt.Sprintf("*** Delete File: old%d.txt\n*** Update File: f%d.txt\n*** Move to: sub/g%d.txt\n@@\n-a\n+b\n+c\n*** Add File: new%d.txt\n+hello\n", i, i, i, i)
	}
	text += "*** End Patch\n"
	call := func(text string) broker.Request {
		return broker.Request{ToolName: "apply_patch", ToolInput: fmt.Appendf(nil, `{"command":%q}`, text), CWD: "/w", State: broker.Pending}
	}
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	var drawn strings.Builder
	for _, width := range []int{38, 78} {
		d := LayOut(st, call(text), Around{Loc: time.UTC, Framed: true}, width)
		fmt.Fprintf(&drawn, "%d\n%s\n", width, strings.Join(d.Rows[:20], "\n"))
	}
	tuitest.Golden(t, "many-files", drawn.String())
	few := LayOut(st, call("*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch\n"), Around{Loc: time.UTC, Framed: true}, 78)
	if n := strings.Count(strings.Join(few.Rows, "\n"), "delete"); n != 2 {
		t.Errorf("two files are told %d times", n)
	}
}
