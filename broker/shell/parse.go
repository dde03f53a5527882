package shell

import (
	"fmt"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Parse says what line would do. It never fails: what it cannot read is an Unknown element
// whose Unsure says why, and a line beyond the limits is nothing but that.
//
// For example, "cd sub && rm -rf build" has three elements: the command cd, which is Neutral;
// the command rm, with Dir "sub"; and a Write of the path build, an Operand that Deletes with
// its Tree, in the same Dir. In "sudo env A=1 make" there are the assignment of A, through
// sudo, and the command make, through sudo and env; the wrappers have no elements of their own.
//
// line is the agent's, of any length and content. Parse keeps nothing between calls and may be
// called by several goroutines. Its costs are bounded by the limits below, but a defect of the
// parser could still cost memory without end; package vet has a process of its own for the
// first look at a text.
func Parse(line string) Line {
	l := Line{Raw: line}
	out := &output{}
	why := out.parse(line)
	if why != "" {
		l.Elements, l.Odd = []Element{{Kind: Unknown, Text: line, Unsure: why}}, why
		return l
	}
	l.Parsed, l.Plain, l.Odd = true, out.odd == "", out.odd
	l.Elements = out.elements
	// The elements stay: the screen shows what the line seems to do, and why it cannot be
	// trusted.
	for _, why := range oddities(line) {
		l.Elements = append(l.Elements, Element{Kind: Unknown, Text: line, Unsure: why})
	}
	return l
}

// output is what one Parse has gathered, over all texts inside each other.
type output struct {
	elements []Element
	pipes    int // numbers given to pipelines
	steps    int // of the walk
	inner    int // bytes of the scripts inside the line

	odd string // not empty: some shell may read a text otherwise, because of this

	moves moves
}

// beyond is panicked with to leave a walk that is over a limit. The walk is some twenty
// functions deep then, and none of them could do anything with an error but pass it on.
type beyond string

// Limits that only a hostile line meets.
const (
	maxSteps = 20_000       // statements and commands looked at, counting each round of a loop and, lightly, their words
	maxVia   = 20           // wrappers around each other
	maxInner = 4 * MaxBytes // of all scripts inside the line
)

// parse walks the whole line and says why it cannot.
func (o *output) parse(line string) (why string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case beyond:
			why = string(r)
		default: // a bug here or in the parser must not let a line through
			why = fmt.Sprintf("it could not be read: %v", r)
		}
	}()
	// Before anything looks at it: all that follows takes time by the length.
	if len(line) > MaxBytes {
		return fmt.Sprintf("it is longer than %d KiB", MaxBytes>>10)
	}
	file, why := o.read(line)
	if why != "" {
		return why
	}
	w := &walker{state: state{output: o, source: newSource(line, file, make(map[string]bool))}}
	w.walk(file)
	// Now all elements are there, and so is everything that may move their paths.
	o.unsettle()
	return ""
}

// add appends an element and gives its index. It panics with beyond when there are too many.
func (o *output) add(e Element) int {
	if len(o.elements) >= MaxElements {
		panic(beyond(fmt.Sprintf("it does more than %d things", MaxElements)))
	}
	o.elements = append(o.elements, e)
	return len(o.elements) - 1
}

// lose marks the elements [from, to) as working nobody knows where.
func (o *output) lose(from, to int) {
	for i := from; i < to; i++ {
		o.elements[i].DirUnsure = true
	}
}

// newPipe gives a number that no pipeline of this line has yet; 0 stays free for "in none".
func (o *output) newPipe() int {
	o.pipes++
	return o.pipes
}

// step counts a statement, a command or a round, of that many words. Loops in loops and scripts
// in scripts stay within other limits at each level and yet multiply.
func (o *output) step(words int) {
	if o.steps += 1 + words/8; o.steps > maxSteps {
		panic(beyond("it is too long to follow, with its loops and wrappers"))
	}
}

// read parses text and has the plain reader read it, too. The first text that the two read
// differently decides for the whole line: odd is set once.
func (o *output) read(text string) (file *syntax.File, why string) {
	if file, why = read(text); why == "" && o.odd == "" {
		o.odd = disagree(text, file)
	}
	return file, why
}

// parsers keeps the parser's buffers. A parser belongs to one goroutine while it reads.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// read parses text as bash reads it and says why it cannot.
func read(text string) (file *syntax.File, why string) {
	if why := misread(text); why != "" {
		return nil, why
	}
	// The pool holds nothing else, so the assertion cannot fail.
	p, _ := parsers.Get().(*syntax.Parser)
	r := &guarded{text: text}
	file, err := p.Parse(r, "")
	// The parser's own error would speak of a text that ended too early.
	if r.deep {
		return nil, fmt.Sprintf("it is nested deeper than %d levels", MaxNesting)
	}
	if err != nil { // the parser is in no state to be used again
		return nil, fmt.Sprintf("it cannot be read as bash: %v", err)
	}
	parsers.Put(p)
	return file, ""
}
