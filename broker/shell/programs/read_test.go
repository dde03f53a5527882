package programs

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/facts.txt anew")

// Each page can be read, and what is not written as a page has to be is refused.
func TestStrict(t *testing.T) {
	if _, err := readAll(pages); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"\tis lax\n":                       "no block",
		"is lax\n":                         "no block",
		"program\n":                        "nothing follows",
		"program a\n\tis lax\nprogram a\n": "has a block already",
		"program a\n\talso a\n":            "has a block already",
		"program a\n\tsub b\n\t\tis lax\n\tsub b c\n":       "has a block already",
		"program a\n\t\tis lax\n":                           "no block",
		"program a\n\tis lax lax\n":                         "twice",
		"program a\n\tis lax\n\tis stop\n":                  "said already",
		"program a\n\tis loose\n":                           "nobody knows",
		"program a\n\tallows -x\n":                          "nobody knows",
		"program a\n\tok\n":                                 "nothing follows",
		"program a\n\tok x\n":                               "no option",
		"program a\n\tok -\n":                               "no option",
		"program a\n\tok --a==\n":                           "no option",
		"program a\n\tok --a=b\n":                           "no option",
		"program a\n\tok -a  -b\n":                          "odd blanks",
		"program a\n\tok -a \n":                             "odd blanks",
		"program a\n ok -a\n":                               "no block",
		"program a\n\tok @x\n":                              "no list",
		"let x -a\nlet x -b\n":                              "there already",
		"let x\n":                                           "empty",
		"program a\n\tlet x -a\n":                           "nobody knows",
		"program a\n\tskip none\n":                          "no number",
		"program a\n\tskip 0\n":                             "no number",
		"program a\n\twhole\n":                              "nothing follows",
		"program a\n\twhole runs\n\twhole runs code\n":      "said already",
		"program a\n\tprogram b\n":                          "nobody knows",
		"sub a\n":                                           "no block",
		"program a\n\tis lax\n\n\tunsure -x\nok -y\n":       "no block",
		"program a\n\tis lax\r\n":                           "odd blanks",
		"program a\n\tis lax\n\talso b\n":                   "nobody knows",
		"program a a\n":                                     "has a block already",
		"program a\n\tkinds\n":                              "nothing follows",
		"program a\n\tkinds odd\n":                          "no kind",
		"program a\n\tkinds inert inert\n":                  "already",
		"program a\n\tkinds inert\nname a\n\tkinds inert\n": "already",
		"program a\n\tsub b\n\t\tkinds inert\n":             "nobody knows",
		"program a\n\twords many\n":                         "no number",
		"program a\n\twords 1\nname a\n\twords 1\n":         "said already",
		"name a\n\tis lax\n":                                "no fact",
		"name a\n\tok -x\n":                                 "no fact",
		"name a\n\tsub b\n":                                 "no fact",
		"program a\n\tas b\nprogram b\n":                    "no \"b\" before",
		"program b\nprogram a\n\tis lax\n\tas b\n":          "more is said",
		"program b\nprogram a\n\tas b\n\tis lax\n":          "no fact",
		"# a page\n\nprogram a b\n\talso c\n\tthen x 1\n":   "",
	} {
		_, err := readAll(fstest.MapFS{"a.txt": &fstest.MapFile{Data: []byte(text)}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A list may go on in a further line, and may name one of the page.
func TestLists(t *testing.T) {
	b, err := readAll(fstest.MapFS{"a.txt": &fstest.MapFile{Data: []byte("let x --y= -z\nprogram a\n\tok -a @x\n\tok -b\n\tsub s\n\t\tis lax\n\tskip 2\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if rows := b.rows; rows["a"].OK != "-a --y= -z -b" || !rows["a"].Subs["s"].Lax || rows["a"].Skip != 2 {
		t.Errorf("%+v", rows["a"])
	}
}

// testdata/facts.txt has every fact of every page: a row, then the names that it has. So a line that
// is moved or joined in a page shows there what it changes.
func TestFacts(t *testing.T) {
	const file = "testdata/facts.txt"
	by := map[string][]string{}
	var add func(path string, rows map[string]*Row)
	add = func(path string, rows map[string]*Row) {
		for name, r := range rows {
			own := *r
			own.Subs = nil
			text := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%+v", own), "{"), " Subs:map[]}"), ":false", "-")
			by[text] = append(by[text], path+name)
			add(path+name+" ", r.Subs)
		}
	}
	add("", Rows())
	var lines []string
	for text, names := range maps.All(by) {
		slices.Sort(names)
		lines = append(lines, strings.Join(names, ", ")+"\n\t"+text+"\n")
	}
	for k, names := range all().kinds {
		lines = append(lines, string(k)+":\n\t"+strings.Join(slices.Sorted(maps.Keys(names)), " ")+"\n")
	}
	for name, n := range all().words {
		lines = append(lines, fmt.Sprintf("words of %s: %d\n", name, n))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	want, err := os.ReadFile(file)
	if *update {
		err = os.WriteFile(file, []byte(got), 0o600)
	} else if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err != nil {
		t.Fatal(err)
	}
}
