package change

import (
	"context"
	"slices"
	"time"

	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/syntax"
)

// dressFor is how long the colours of a call may take. Those of later texts are left out.
const dressFor = 1500 * time.Millisecond

// Dressed is a copy of sections with colours and marks on words.
func Dressed(ctx context.Context, list []Section) []Section {
	ctx, cancel := context.WithTimeout(ctx, dressFor)
	defer cancel()
	deadline := time.Now().Add(dressFor / 3)
	list = slices.Clone(list)
	known := map[[2]string][]syntax.Span{} // by language and text: one edit's new text is the next one's old
	lex := func(lang, text string) []syntax.Span {
		key := [2]string{lang, text}
		if spans, ok := known[key]; ok || text == "" {
			return spans
		}
		known[key] = syntax.Lex(ctx, lang, text)
		return known[key]
	}
	for i := range list {
		s := &list[i]
		s.Lines = slices.Clone(s.Lines)
		diff.CompareWords(s.Lines, deadline)
	}
	for i := range list {
		s := &list[i]
		if len(s.Parts) == 0 && s.Lang != "" {
			s.InOld, s.InFresh = lex(s.Lang, s.Old), lex(s.Lang, s.Fresh)
		}
	}
	return list
}
