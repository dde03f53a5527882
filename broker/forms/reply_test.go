package forms

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReply(t *testing.T) {
	f, err := Read(json.RawMessage(database))
	if err != nil {
		t.Fatal(err)
	}
	type said = map[string][]string
	for _, tt := range []struct {
		name string
		said said
		want []Answer
		why  string
	}{
		{"labels", said{"Which database?": {"SQLite"}, "Which parts?": {"Docs", "API"}}, []Answer{{Picked: []int{1}}, {Picked: []int{2, 0}}}, ""},
		{"by header", said{"Database": {" Postgres "}, "Parts": {"UI"}}, []Answer{{Picked: []int{0}}, {Picked: []int{1}}}, ""},
		{"own words", said{"Database": {"MySQL"}, "Parts": {"UI", "the CLI"}}, []Answer{{Other: "MySQL"}, {Picked: []int{1}, Other: "the CLI"}}, ""},
		{"a question left out", said{"Database": {"SQLite"}}, nil, `"Which parts?" is not answered`},
		{"an empty list", said{"Database": {"SQLite"}, "Parts": {}}, nil, `"Which parts?" is not answered`},
		{"no such question", said{"Datenbank": {"SQLite"}, "Parts": {"UI"}}, nil, `there are: "Which database?", "Which parts?"`},
		{"twice", said{"Database": {"SQLite"}, "Which database?": {"SQLite"}, "Parts": {"UI"}}, nil, "answered twice"},
		{"two of one", said{"Database": {"SQLite", "Postgres"}, "Parts": {"UI"}}, nil, `takes one answer; the options: "Postgres", "SQLite"`},
		{"one and own words", said{"Database": {"SQLite", "or so"}, "Parts": {"UI"}}, nil, "takes one answer"},
		{"two unknown", said{"Database": {"SQLite"}, "Parts": {"Ui", "Api"}}, nil, `neither "Ui" nor "Api" is an option of "Which parts?"`},
		{"a label twice", said{"Database": {"SQLite"}, "Parts": {"UI", "UI"}}, nil, "twice"},
		{"empty", said{"Database": {" "}, "Parts": {"UI"}}, nil, "is empty"},
		{"too long", said{"Database": {strings.Repeat("x", MaxOwn+1)}, "Parts": {"UI"}}, nil, "longer than"},
		{"cannot be shown", said{"Database": {"a\u202eb"}, "Parts": {"UI"}}, nil, "cannot be shown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := f.Reply(tt.said)
			if tt.why != "" {
				if err == nil || !strings.Contains(err.Error(), tt.why) || got != nil {
					t.Fatalf("got %v, %v; want an error with %q", got, err, tt.why)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// FuzzReply: what Reply takes, Fill takes, and every word that was said is in it.
func FuzzReply(f *testing.F) {
	f.Add("Database", "SQLite", "Parts", "UI", "x")
	f.Add("Which database?", "\xff", "Parts", "API", "API")
	form, err := Read(json.RawMessage(database))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, q1, a1, q2, a2, a3 string) {
		answers, err := form.Reply(map[string][]string{q1: {a1}, q2: {a2, a3}})
		if err != nil {
			return
		}
		filled, err := form.Fill(answers)
		if err != nil {
			t.Fatalf("%v is taken by Reply and not by Fill: %v", answers, err)
		}
		all := slices.Collect(func(yield func(string) bool) {
			for _, v := range Said(filled) {
				if !yield(v) {
					return
				}
			}
		})
		for _, word := range []string{a1, a2, a3} {
			if !strings.Contains(strings.Join(all, "\n"), strings.TrimSpace(word)) {
				t.Errorf("%q was said, %q is told", word, all)
			}
		}
	})
}
