package forms

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const database = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[` +
	`{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"One file","preview":"shop.db"}]},` +
	`{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"API"},{"label":"UI"},{"label":"Docs"}]}],` +
	`"metadata":{"source":"plan","n":1.50}}`

func TestFill(t *testing.T) {
	f, err := Read(json.RawMessage(database))
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSuffix(database, "}")
	for _, tt := range []struct {
		name    string
		answers []Answer
		want    string // behind the input's own fields; "" for an error
	}{
		{"picked", []Answer{{Picked: []int{0}}, {Picked: []int{0}}}, `,"answers":{"Which database?":"Postgres","Which parts?":"API"}}`},
		{"several, in the question's order", []Answer{{Picked: []int{0}}, {Picked: []int{2, 0}}}, `,"answers":{"Which database?":"Postgres","Which parts?":"API, Docs"}}`},
		{"own words", []Answer{{Other: `"x" <y>`}, {Picked: []int{1}, Other: "CLI"}}, `,"answers":{"Which database?":"\"x\" \u003cy\u003e","Which parts?":"UI, CLI"}}`},
		{"with its preview", []Answer{{Picked: []int{1}}, {Picked: []int{0}}}, `,"answers":{"Which database?":"SQLite","Which parts?":"API"},"annotations":{"Which database?":{"preview":"shop.db"}}}`},
		{"one not answered", []Answer{{Picked: []int{1}}, {}}, ""},
		{"one missing", []Answer{{Picked: []int{1}}}, ""},
		{"two where one is asked", []Answer{{Picked: []int{0, 1}}, {Picked: []int{0}}}, ""},
		{"one and own words where one is asked", []Answer{{Picked: []int{0}, Other: "x"}, {Picked: []int{0}}}, ""},
		{"no such option", []Answer{{Picked: []int{2}}, {Picked: []int{0}}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := f.Fill(tt.answers)
			if tt.want == "" {
				if err == nil || got != nil {
					t.Fatalf("got %s, want an error", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	question := func(text, options string) string {
		return fmt.Sprintf(`{"questions":[{"question":%s,"header":"h","multiSelect":false,"options":%s}]}`, quoted(text), options)
	}
	const two = `[{"label":"a","description":"x"},{"label":"b","description":"y"}]`
	for _, tt := range []struct{ name, input, why string }{
		{"no object", `[]`, "no plain JSON object"},
		{"doubled key", `{"questions":[],"questions":[]}`, "no plain JSON object"},
		{"none", `{}`, "no list"},
		{"empty", `{"questions":[]}`, "no list"},
		{"texts", `{"questions":["?"]}`, "question 1 is no plain object"},
		{"answered", `{"questions":[],"answers":{}}`, "answers of its own"},
		{"annotated", `{"questions":[],"annotations":{}}`, "annotations of its own"},
		{"two of one text", `{"questions":[{"question":"?","options":` + two + `},{"question":"?","options":` + two + `}]}`, "words of another"},
		{"no words", question(" ", two), "no words"},
		{"control", question("a\x1b[2J?", two), "cannot be shown"},
		{"bidi", question("a\u202e?", two), "cannot be shown"},
		{"no options", question("?", `[]`), "no options"},
		{"null options", question("?", `null`), "no options"},
		{"hundreds", question("?", "["+strings.TrimSuffix(strings.Repeat(`{"label":"a"},`, 300), ",")+"]"), "300 options"},
		{"one label twice", question("?", `[{"label":"a"},{"label":"a "}]`), "one label"},
		{"no label", question("?", `[{"label":""}]`), "no label"},
		{"long label", question("?", `[{"label":"`+strings.Repeat("x", 10_000)+`"}]`), "too long"},
		{"label with a break", question("?", `[{"label":"a\nb"}]`), "cannot be shown"},
		{"label that is no text", question("?", `[{"label":7}]`), "no text"},
		{"field of an option", question("?", `[{"label":"a","run":"x"}]`), `"run"`},
		{"field of a question", `{"questions":[{"question":"?","options":` + two + `,"secret":true}]}`, `"secret"`},
		{"multi that is no truth", `{"questions":[{"question":"?","options":` + two + `,"multiSelect":"yes"}]}`, "multiSelect"},
		{"nine", `{"questions":[` + strings.TrimSuffix(strings.Repeat(`{},`, 9), ",") + `]}`, "9 questions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read(json.RawMessage(tt.input))
			if err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Fatalf("got %+v, %v, want an error with %q", f, err, tt.why)
			}
			if f.Questions != nil {
				t.Errorf("an error came with %+v", f)
			}
		})
	}
}

func TestGist(t *testing.T) {
	for input, want := range map[string]string{
		database:                              "Which database?",
		`{"question":"Which?","choices":[]}`:  "Which?",
		`{"message":"Go on?"}`:                "Go on?",
		`{"questions":["Why?"]}`:              "Why?",
		`{"questions":[{"id":"x"}]}`:          "",
		`{"questions":[{"questions":[{}]}]}`:  "",
		`junk`:                                "",
		`{"questions":7,"question":"Really"}`: "Really",
	} {
		if got := Gist(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

// FuzzForm: an error returns no form, and a filled form has every field that it had,
// bytes and all, and an answer to every question.
func FuzzForm(f *testing.F) {
	f.Add([]byte(database), "own words")
	f.Add([]byte(`{"questions":[{"question":"<?>","options":[{"label":"&"}]}],"x":1e400}`), "\xff\u202e")
	f.Fuzz(func(t *testing.T, input []byte, other string) {
		Gist(input)
		form, err := Read(input)
		if err != nil {
			if form.Questions != nil || form.fields != nil {
				t.Fatalf("an error came with %+v", form)
			}
			return
		}
		answers := make([]Answer, len(form.Questions))
		for i := range answers {
			if answers[i] = (Answer{Picked: []int{0}}); i%2 == 1 && other != "" {
				answers[i] = Answer{Other: other}
			}
		}
		out, err := form.Fill(answers)
		if err != nil {
			t.Fatal(err)
		}
		var was, is map[string]json.RawMessage
		if json.Unmarshal(input, &was) != nil || json.Unmarshal(out, &is) != nil {
			t.Fatalf("not an object: %s", out)
		}
		var said map[string]string
		if json.Unmarshal(is["answers"], &said) != nil || len(said) != len(form.Questions) {
			t.Fatalf("answers %s for %d questions", is["answers"], len(form.Questions))
		}
		for i, q := range form.Questions {
			if got, ok := said[q.Text]; !ok || answers[i].Other == "" && got != q.Options[0].Label {
				t.Fatalf("question %q: %q", q.Text, got)
			}
		}
		delete(is, "answers")
		delete(is, "annotations")
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What was picked is never what other options read like.
func TestFillIsUnambiguous(t *testing.T) {
	for name, tt := range map[string]struct {
		options []string
		picked  []int
		refused bool
	}{
		"one that reads like two":     {[]string{"A, B", "A", "B"}, []int{0}, true},
		"two that read like one":      {[]string{"A, B", "A", "B"}, []int{1, 2}, true},
		"other pairs":                 {[]string{"A", "A, B", "B, C", "C"}, []int{1, 3}, true},
		"a comma alone":               {[]string{"Yes, all", "No", "all"}, []int{0, 1}, false},
		"nothing that reads so":       {[]string{"A, B", "A", "B"}, []int{0, 1}, false},
		"the order is the question's": {[]string{"B", "A", "A, B"}, []int{0, 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var options []string
			for _, o := range tt.options {
				options = append(options, fmt.Sprintf(`{"label":%q}`, o))
			}
			f, err := Read(json.RawMessage(`{"questions":[{"question":"Which?","multiSelect":true,"options":[` + strings.Join(options, ",") + `]}]}`))
			if err != nil {
				t.Fatal(err)
			}
			filled, err := f.Fill([]Answer{{Picked: tt.picked}})
			if refused := err != nil; refused != tt.refused || refused && filled != nil {
				t.Errorf("got %s, %v", filled, err)
			}
		})
	}
}
