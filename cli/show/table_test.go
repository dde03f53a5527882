package show

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	tab := &Table{Head: []string{"ID", "NAME", "LAST"}}
	tab.Add("1", "漢字", "x")
	tab.Add("22", "a\x1b[2Jb", "")
	tab.Add("333", "", "a long one\nwith a second line")
	var b bytes.Buffer
	if err := tab.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := "ID   NAME       LAST\n" +
		"1    漢字       x\n" +
		"22   a\\x1b[2Jb\n" +
		"333             a long one⏎with a second line\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
