package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// leastBegun is how many letters of a command's beginning stand for it. Fewer would fit too
// many.
const leastBegun = 3

// UnknownCommand refuses what is no command, with those that may be meant. It is the Args
// of a command that only has others below it. A near command is named and never run: "aoctl
// sotp" must not stop anything.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := HelpHint(cmd)
	if near := meant(cmd, args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return Error{Text: fmt.Sprintf("unknown command %q for %s", args[0], cmd.CommandPath()), Hint: hint}
}

// meant are the commands below cmd that word may mean: those spelled nearly so, else those
// one step further down that are called just so. Hidden commands are not among them, short
// names are.
func meant(cmd *cobra.Command, word string) []string {
	var names, below []string
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() && !IsShort(c) {
			continue
		}
		names = append(names, c.Name())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() == word {
				below = append(below, sub.CommandPath())
			}
		}
	}
	if near := Near(word, names); len(near) > 0 {
		return near
	}
	return below
}

// Near returns those of names that word is nearly, the nearest first: one slip of the
// fingers for three letters, or the beginning of a name. Case does not count for slips.
func Near(word string, names []string) []string {
	slips := map[string]int{}
	var near []string
	for _, name := range names {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		begun := len(word) >= leastBegun && strings.HasPrefix(name, word)
		// As many slips as the word has letters would make any two words alike.
		if begun || d <= max(1, min(len(name), len(word))/3) && d < min(len(name), len(word)) {
			slips[name] = d
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(slips[a], slips[b]) })
	return near
}

// maxDistance is the longest word that is compared, in bytes. The comparison takes time by
// the product of the lengths, and longer words are no typing mistake of a command.
const maxDistance = 64

// distance is how many letters must be added, dropped, replaced or swapped with the next
// one to make b of a (the optimal string alignment distance, in bytes). A word that is too
// long is maxDistance away from all.
func distance(a, b string) int {
	if len(a) > maxDistance || len(b) > maxDistance {
		return maxDistance
	}
	// Only the last two rows of the table are looked at again.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := above[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
