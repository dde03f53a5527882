package rules

import "github.com/aoctl/aoctl/broker/rules/patterns"

// PatternWords is a pattern as it reads in a sentence: its alternatives with "or" between
// them, since a | in a command looks like a pipe.
func PatternWords(pattern string) string { return patterns.Words(pattern) }
