package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed corpus
var files embed.FS

// Line is a command line of the corpus, and the world that it runs in.
type Line struct {
	World, Text string
}

// Group is the lines of one world, and the commands that make it of the plain one.
type Group struct {
	World string
	Setup []string
	Leads bool // its project has links or settings that lead out of it, which a check follows
	Lines []Line
}

// corpus reads all files of the corpus.
func corpus() ([]Group, error) {
	var all []Group
	names, err := fs.Glob(files, "corpus/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		groups, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, groups...)
	}
	return all, nil
}

// parse reads a file of the corpus:
//
//	# a comment
//	=== name                   from here on the world of that name
//	~ go.work names it         why a check may read, or run, what lies outside of this project
//	$ ln -s ../other link      makes it of the plain one, in the project's folder
//	@in@ = a.go %% b.go        what stands for @in@ in the lines below
//	cat @in@                   two lines
//	"cat \\\na.go"             a line as Go would write it
func parse(text string) ([]Group, error) {
	groups := []Group{{World: "plain"}}
	slots := map[string][]string{}
	seen := map[Line]bool{}
	for n, l := range strings.Split(text, "\n") {
		g := &groups[len(groups)-1]
		name, values, isSlot := strings.Cut(l, "@ = ")
		switch {
		case strings.TrimSpace(l) == "" || strings.HasPrefix(l, "# "):
			continue
		case strings.HasPrefix(l, "=== "):
			groups = append(groups, Group{World: l[4:]})
			continue
		case strings.HasPrefix(l, "~ "):
			g.Leads = true
			continue
		case strings.HasPrefix(l, "$ "):
			g.Setup = append(g.Setup, l[2:])
			continue
		case isSlot && strings.HasPrefix(l, "@"):
			slots[name+"@"] = strings.Split(values, " %% ")
			continue
		case strings.HasPrefix(l, `"`) && strings.HasSuffix(l, `"`):
			var err error
			if l, err = strconv.Unquote(l); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
		for _, t := range fill(l, slots) {
			if line := (Line{g.World, t}); !seen[line] {
				seen[line] = true
				g.Lines = append(g.Lines, line)
			}
		}
	}
	return groups, nil
}

// fill puts each value of each slot into a line. A slot that stands twice has the same value.
func fill(l string, slots map[string][]string) []string {
	i := strings.IndexByte(l, '@')
	for ; i >= 0; i = next(l, i) {
		j := strings.IndexByte(l[i+1:], '@')
		if j < 0 {
			break
		}
		name := l[i : i+j+2]
		values, ok := slots[name]
		if !ok {
			continue
		}
		var out []string
		for _, v := range values {
			out = append(out, fill(strings.ReplaceAll(l, name, v), slots)...)
		}
		return out
	}
	return []string{l}
}

// next is the place of the next @ behind i, -1 for none.
func next(l string, i int) int {
	j := strings.IndexByte(l[i+1:], '@')
	if j < 0 {
		return -1
	}
	return i + 1 + j
}

// parts are the lines of g that hold a text, in groups of at most n.
func (g Group) parts(filter string, n int) (list []Group) {
	part := Group{World: g.World, Setup: g.Setup, Leads: g.Leads}
	for _, l := range g.Lines {
		if !strings.Contains(l.Text, filter) && !strings.Contains(l.World, filter) {
			continue
		}
		if part.Lines = append(part.Lines, l); len(part.Lines) == n {
			list = append(list, part)
			part.Lines = nil
		}
	}
	if len(part.Lines) > 0 {
		list = append(list, part)
	}
	return list
}
