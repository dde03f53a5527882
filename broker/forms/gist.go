package forms

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker/wire"
)

// Gist is the first question of an input in any agent's shape, for a list: raw, and ""
// when there is none to be found. It knows more shapes than Read, since a list needs one line of
// any agent's question.
func Gist(input json.RawMessage) string {
	fields, err := wire.Fields(input)
	if err != nil {
		return ""
	}
	for _, f := range fields {
		switch f.Key {
		case "question", "message", "prompt":
			if s, ok := text(f.Value); ok && s != "" {
				return s
			}
		case "questions":
			var list []json.RawMessage
			if json.Unmarshal(f.Value, &list) == nil && len(list) > 0 {
				if s, ok := text(list[0]); ok {
					return s
				}
				return Gist(list[0])
			}
		}
	}
	return ""
}
