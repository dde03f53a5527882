package command

import (
	"cmp"
	"fmt"
)

// Word is one word of a command after quote removal. The zero Word is one of which nothing is
// known. A known word is still the agent's text.
type Word struct {
	Text  string // "" when not known
	Known bool   // text is what the program will get, but for glob and tilde
	Glob  bool   // has an unquoted pattern: the program gets the names of files that fit, or text itself; it is no code
	Tilde bool   // begins with an unquoted tilde: "~" or "~/…"
	Raw   string // as it stands in the line
}

// Meaning is what a program does with its words, as far as they tell. Inspect makes it from the
// table of commands; package shell turns it into elements. A zero one may be added to.
type Meaning struct {
	Runs    []run    // what a wrapper runs in its place or beside it
	Scripts []Script // texts that a shell runs: sh -c '…', eval '…', git -c alias.x='!…'
	Assigns []Assign // variables set for what runs: env A=1 …
	Files   []File   // files that it names: operands, and options that take a path
	Neutral bool     // a builtin that does nothing by itself
	Wrapper string   // not empty: it is nothing but a wrapper around runs and scripts, shown as this ("sudo", "bash -c"); it makes no element of its own
	Exact   string   // as Element.Exact
	Named   int      // as Element.Named
	Unsure  string   // as Element.Unsure
	Names   bool     // as Element.Names
	Chdir   *Word    // cd: where later elements work; a zero word is the home folder
	Host    string   // runs and scripts happen on this machine
}

// run is a command inside a command's words. Words are those of the outer command, so that what
// the caller knows of them still holds.
type run struct {
	Words []Word
	More  bool // further words that nobody knows are appended, as by xargs
	Fed   bool // {} and the like are replaced in words by names that nobody knows
}

// Script is a text that a shell reads as a command line of its own.
type Script struct {
	Text Word
	args bool // it is given arguments, $1 and so on
}

// Assign is a variable that a command sets.
type Assign struct{ Name, Value Word }

// File is a file that a command names. Without Write it is read. Deletes goes with Write; Tree
// means with everything below Path. The path may not be known, or be a pattern.
type File struct {
	Path    Word
	Write   bool
	Deletes bool
	Tree    bool
}

// exactf and unsuref keep the first reason. Their texts come from the table alone, so
// that nothing of the agent's gets into a reason.
func (m *Meaning) exactf(format string, args ...any) {
	if m.Exact == "" {
		m.Exact = fmt.Sprintf(format, args...)
	}
}

// unsuref is for what no rule can know, exactf for what an open rule cannot have meant.
func (m *Meaning) unsuref(format string, args ...any) {
	m.Names = false
	if m.Unsure == "" {
		m.Unsure = fmt.Sprintf(format, args...)
	}
}

// adopt takes over what is wrong with another command, and its files. What it runs is left out:
// a caller that hands words on says so with a reason of its own.
func (m *Meaning) adopt(other Meaning) {
	m.Names = (m.Names || m.Unsure == "") && (other.Names || other.Unsure == "") && (m.Names || other.Names)
	m.Exact, m.Unsure = cmp.Or(m.Exact, other.Exact), cmp.Or(m.Unsure, other.Unsure)
	m.Files = append(m.Files, other.Files...)
}

// file adds a file, unless its name is of none.
func (m *Meaning) file(w Word, f File) {
	if w.Known && (w.Text == "" || Streams.Has(w.Text)) {
		return
	}
	f.Path = w
	m.Files = append(m.Files, f)
}

// files adds each of several words as a file.
func (m *Meaning) files(words []Word, f File) {
	for _, w := range words {
		m.file(w, f)
	}
}

func (m *Meaning) reads(words ...Word)     { m.files(words, File{}) }
func (m *Meaning) readsTree(words ...Word) { m.files(words, File{Tree: true}) }
func (m *Meaning) writes(words ...Word)    { m.files(words, File{Write: true}) }

// run adds a command, if there is one.
func (m *Meaning) run(words []Word) {
	if len(words) > 0 {
		m.Runs = append(m.Runs, run{Words: words})
	}
}

// scripts adds texts that a shell runs.
func (m *Meaning) scripts(texts ...Word) {
	for _, text := range texts {
		m.Scripts = append(m.Scripts, Script{Text: text})
	}
}

// done is the meaning. A wrapper that is not sure stays an element of its own, so that
// its reason is seen.
func (m *Meaning) done() Meaning {
	if m.Exact != "" || m.Unsure != "" {
		m.Wrapper, m.Neutral = "", false
	}
	return *m
}

const maxCite = 60 // bytes of the line in a reason

// Cite quotes a part of the line for a reason. It cuts between letters and marks the cut; the
// text stays the agent's, and whoever shows it makes it safe.
func Cite(s string) string {
	if len(s) <= maxCite {
		return s
	}
	cut := maxCite
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
