package effects

import (
	"slices"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// editInput are parameters of tools that change files, which name no other file.
var editInput = wordset.New(`file_path notebook_path content old_string new_string replace_all edits new_source cell_id cell_number cell_type
	edit_mode instruction expected_replacements allow_multiple ai_proposed_content modified_by_user input patch patchText command`)

// OnlyEdits reports whether all parameters of an edit, and of each of its edits, are known.
func OnlyEdits(input map[string]any) bool {
	for name, v := range input {
		list, _ := v.([]any)
		if !editInput.Has(name) || slices.ContainsFunc(list, func(e any) bool {
			one, ok := e.(map[string]any)
			return !ok || !OnlyEdits(one) || one["file_path"] != nil || one["notebook_path"] != nil
		}) {
			return false
		}
	}
	return true
}
