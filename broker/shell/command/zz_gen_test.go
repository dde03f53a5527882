package command

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell/programs"
)

var lets = map[string][][2]string{}

func fix(list string) string {
	var out []string
	for _, w := range strings.Fields(list) {
		if w[0] != '-' {
			w = "-" + w[1:]
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func wrapped(b *strings.Builder, in, key, list string) {
	line := in + key
	for _, w := range strings.Fields(list) {
		if len(line)+len(w) > 118 {
			b.WriteString(line + "\n")
			line = in + key
		}
		line += " " + w
	}
	b.WriteString(line + "\n")
}

func rowText(s spec, in, family string) string {
	var b strings.Builder
	var is []string
	for _, f := range []struct {
		on   bool
		name string
	}{{s.builtin, "builtin"}, {s.lax, "lax"}, {s.stop, "stop"}, {s.mild, "mild"}, {s.single, "single"}, {s.wraps, "wraps"}} {
		if f.on {
			is = append(is, f.name)
		}
	}
	if len(is) > 0 {
		b.WriteString(in + "is " + strings.Join(is, " ") + "\n")
	}
	for _, f := range []struct{ key, list string }{{"ok", s.ok}, {"reads", s.read}, {"writes", s.write}, {"spills", s.spill}, {"code", s.code}, {"loads", s.load}, {"exact", s.exact}, {"unsure", s.unsure}} {
		list := fix(f.list)
		for _, l := range lets[family] {
			list = strings.TrimSpace(strings.Replace(" "+list+" ", " "+fix(l[1])+" ", " @"+l[0]+" ", 1))
		}
		if list != "" {
			wrapped(&b, in, f.key, list)
		}
	}
	if s.skip > 0 {
		fmt.Fprintf(&b, "%sskip %d\n", in, s.skip)
	}
	for _, f := range [][2]string{{"last", s.last}, {"whole", s.whole}, {"never", s.never}, {"other", s.other}, {"then", kebab(s.ops)}, {"by", kebab(s.raw)}} {
		if f[1] != "" {
			b.WriteString(in + f[0] + " " + f[1] + "\n")
		}
	}
	b.WriteString(grouped(s.subs, in, "sub", family))
	return b.String()
}

func grouped(rows map[string]spec, in, word, family string) string {
	by := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		text := rowText(rows[name], in+"\t", family)
		by[text] = append(by[text], name)
	}
	texts := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return strings.Compare(by[a][0], by[b][0]) })
	var b strings.Builder
	for _, text := range texts {
		if word == "program" {
			b.WriteString("\n")
		}
		line := in + word
		first := true
		for _, n := range by[text] {
			if len(line)+len(n) > 118 && !first {
				b.WriteString(line + "\n")
				line = in + "\talso"
				first = true
			}
			line += " " + n
			first = false
		}
		b.WriteString(line + "\n" + text)
	}
	return b.String()
}

// TestPagesSayTheSame holds every row of the pages to the row in the tables.
func TestPagesSayTheSame(t *testing.T) {
	samePages(t, "", table(), programs.Rows())
	for name := range goNames {
		if specials[kebabName(name)] == nil {
			t.Error("no function ", kebabName(name))
		}
	}
}

func samePages(t *testing.T, path string, want map[string]spec, got map[string]*programs.Row) {
	if len(want) != len(got) {
		t.Errorf("%s: %d rows, %d in the pages", path, len(want), len(got))
	}
	for name, s := range want {
		r := got[name]
		if r == nil {
			t.Errorf("%s %s is in no page", path, name)
			continue
		}
		fields := func(list string) []string { return strings.Fields(fix(list)) }
		for i, pair := range [][2]string{{s.ok, r.OK}, {s.read, r.Reads}, {s.write, r.Writes}, {s.spill, r.Spills}, {s.code, r.Code}, {s.load, r.Loads}, {s.exact, r.Exact}, {s.unsure, r.Unsure}} {
			if !slices.Equal(fields(pair[0]), fields(pair[1])) {
				t.Errorf("%s %s: list %d is %s, in the page %s", path, name, i, pair[0], pair[1])
			}
		}
		for i, pair := range [][2]any{{s.lax, r.Lax}, {s.stop, r.Stop}, {s.mild, r.Mild}, {s.single, r.Single}, {s.builtin, r.Builtin}, {s.wraps, r.Wraps}, {s.skip, r.Skip}, {s.last, r.Last}, {s.whole, r.Whole}, {s.never, r.Never}, {s.other, r.Other}, {kebab(s.ops), r.Then}, {kebab(s.raw), r.By}} {
			if pair[0] != pair[1] {
				t.Errorf("%s %s: fact %d is %v, in the page %v", path, name, i, pair[0], pair[1])
			}
		}
		samePages(t, path+" "+name, s.subs, r.Subs)
	}
}

func TestGenerate(t *testing.T) {
	if os.Getenv("GENERATE") == "" {
		t.Skip()
	}
	lets["build"] = [][2]string{{"go-build", goBuildConst}, {"go-test", goTestConst}, {"go-risky", goRiskyConst}, {"compiler", compilerValues}}
	lets["other"] = [][2]string{{"compiler", compilerValues}}
	done := map[string]bool{}
	families := []struct {
		name, doc string
		rows      map[string]spec
	}{
		{"archive", "Programs that pack and unpack.", archiveRows()},
		{"build", "Programs that build and test a project.", buildRows()},
		{"builtin", "Builtins of bash and zsh. They count only by their bare names: a program called echo is a plain command.", builtinRows()},
		{"code", "Interpreters, editors and other programs that run code.", codeRows()},
		{"files", "Programs that make, change and remove files.", fileRows()},
		{"git", "git: its options before the subcommand, and each subcommand with those behind.", gitRows()},
		{"net", "Programs that fetch from and send to the network.", netRows()},
		{"ops", "Programs that manage machines, containers and services.", opsRows()},
		{"other", "Programs of many kinds that hand their words on, serve files or take small languages.", otherRows()},
		{"package", "Package managers and runners of packages.", packageRows()},
		{"remote", "Programs that work on other machines, or carry files there.", remoteRows()},
		{"shells", "Shells, and builtins that read a text or a file as commands.", shellRows()},
		{"text", "Programs that read text and print it, or change it.", textRows()},
		{"wrappers", "Programs whose operands are a command that they run.", wrapperRows()},
	}
	owner := map[string]string{}
	for _, name := range []string{"file", "text", "archive", "net", "remote", "wrapper", "shell", "builtin", "git", "code", "build", "package", "ops", "other"} {
		for _, f := range families {
			if f.name == name || f.name == name+"s" {
				for p := range f.rows {
					if owner[p] != "" {
						fmt.Println("twice:", p, owner[p], f.name)
					}
					owner[p] = f.name
				}
			}
		}
	}
	for _, f := range families {
		rows := map[string]spec{}
		for p := range table() {
			if owner[p] == f.name || owner[p] == "" && p[0] == 'g' && owner[p[1:]] == f.name {
				rows[p] = table()[p]
				done[p] = true
			}
		}
		var b strings.Builder
		b.WriteString("# " + f.doc + "\n")
		text := grouped(rows, "", "program", f.name)
		for _, l := range lets[f.name] {
			if strings.Contains(text, "@"+l[0]) {
				b.WriteString("\n")
				b.WriteString("let " + l[0] + " " + fix(l[1]) + "\n")
			}
		}
		b.WriteString(text)
		if err := os.WriteFile("../programs/"+f.name+".txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for p := range table() {
		if !done[p] {
			t.Error("not written:", p)
		}
	}
}
