// Package syntax tells keywords, strings and comments of a source text apart, for
// colours.
//
// The languages are chroma's. Its own package of them reads hundreds of files when a
// program starts, and this program starts for every call of an agent: so those that
// agents write most are kept here, in chroma's form, and read when first needed.
//
// Texts are hostile: one that takes too long, or on which a language breaks, has no
// colours. Nothing else depends on them: what is drawn is the text itself, and Lex
// only says from where to where a class goes. A language is added as a file in lexers.
package syntax

import (
	"context"
	"embed"
	"path/filepath"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// Class is what a piece of a text is to its language. The zero value is plain text.
type Class uint8

// The classes.
const (
	Text Class = iota
	Keyword
	String
	Comment
	Number
	Name // what a piece defines or calls: a function, a tag, a key
	Type
	Classes // how many there are
)

// Span is the bytes [From, To) of a text. Spans of class Text are left out.
type Span struct {
	From, To int
	Class    Class
}

// MaxText is how much text is coloured, in bytes. A longer one has no colours at all.
const MaxText = 512 << 10

//go:embed lexers/*.xml
var files embed.FS

// registry has all languages, by name and by the names of their files. It is read
// once; a language that cannot be read is left out.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	reg := chroma.NewLexerRegistry()
	names, err := files.ReadDir("lexers")
	if err != nil {
		return reg
	}
	for _, f := range names {
		if l, err := chroma.NewXMLLexer(files, "lexers/"+f.Name()); err == nil {
			reg.Register(l)
		}
	}
	return reg
})

// lexer finds a language by a file's name or its own; nil when there is none. The name
// comes from an agent: one that is no name of a file finds nothing.
func lexer(name string) chroma.Lexer {
	base := filepath.Base(name)
	if base == "." || len(base) > 255 || strings.ContainsAny(base, "\x00\n") {
		return nil
	}
	if l := registry().Match(base); l != nil {
		return l
	}
	if strings.ContainsRune(base, '.') {
		return nil
	}
	return registry().Get(base)
}

// Lex gives the spans of a text in order, for the language that name tells: a file's
// name or a language's. It is nil when there is no such language, and ends where ctx
// does. It may be slow: a text of a hundred kilobytes takes a tenth of a second.
func Lex(ctx context.Context, name, text string) (spans []Span) {
	l := lexer(name)
	if l == nil || len(text) > MaxText {
		return nil
	}
	defer func() {
		if recover() != nil {
			spans = nil // a language of chroma's that does not know its own state
		}
	}()
	it, err := l.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil
	}
	at := 0
	for t := it(); t != chroma.EOF && ctx.Err() == nil; t = it() {
		// A language that does not give back the very text would put colours in the
		// wrong places.
		if rest := text[at:]; !strings.HasPrefix(rest, t.Value) {
			if t.Value != rest+"\n" { // some languages end every text in a line break
				return nil
			}
			t.Value = rest
		}
		end := at + len(t.Value)
		if c := classOf(t.Type); c != Text && t.Value != "" {
			spans = appendSpan(spans, Span{at, end, c})
		}
		at = end
	}
	return spans
}

// appendSpan joins a span to the one before it when they touch and are alike.
func appendSpan(spans []Span, s Span) []Span {
	if n := len(spans); n > 0 && spans[n-1].To == s.From && spans[n-1].Class == s.Class {
		spans[n-1].To = s.To
		return spans
	}
	return append(spans, s)
}

// classOf is the class of one of chroma's types. Few classes are enough: the screen
// has few colours that can be told apart.
func classOf(t chroma.TokenType) Class {
	switch {
	case t.InCategory(chroma.Comment):
		return Comment
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameNamespace:
		return Type
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord, t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return Keyword
	case t.InSubCategory(chroma.LiteralString), t == chroma.GenericEmph, t == chroma.GenericStrong:
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameBuiltin, t == chroma.NameTag,
		t == chroma.NameAttribute, t == chroma.NameDecorator, t == chroma.NameProperty, t == chroma.NameLabel:
		return Name
	}
	return Text
}
