package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// Plain blanks the comments of src, and commas before a closing bracket, so that places
// stay where they are. A text that cannot be read stays as it is. It is for looking at files of
// agents that read comments, where nothing is to be edited.
func Plain(src []byte) []byte {
	text := append(bytes.Clone(src), '\n')
	if _, problem := tooMuch(text); problem != "" {
		return src
	}
	text, err := hujson.Standardize(text)
	if err != nil {
		return src
	}
	return text[:len(src)]
}
