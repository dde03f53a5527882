// Package patterns reads the patterns of rules and fits them to texts, commands, paths and
// addresses.
//
// A pattern is exact, has the wildcards * and **, is several of these joined by |, or begins
// with re: and is a regular expression that fits the whole text. A backslash takes the meaning
// from the character after it. What else a pattern says depends on the parameter that it stands
// for:
//
//   - command (or cmd), of tools that run command lines: the words of one command of
//     the line, as in "npm run *"; line: and a text is a whole line;
//   - read, write, of the same tools: the path of a redirection; assign: NAME=value;
//   - file_path, notebook_path, path, dir, cwd and other names that end in _path: a
//     path, as a glob;
//   - url: host, and scheme and path if they matter;
//   - any other: the parameter's text, or its compact JSON; a.b is b inside a.
//
// All patterns of a rule must match. One that names parts of a command line needs all of them
// somewhere in the line, and then speaks for the elements that they match. What a line reads
// and writes also counts as the tools Read and Write with file_path.
//
// A pattern of a rule that allows is strict: it has to fit every way in which some program may
// read what it is given. One of a rule that refuses or asks is lenient: any way is enough. So
// each kind of pattern is read for one side, and has a match for it. Whether one pattern covers
// all that another one fits is asked for warnings alone, and answered with no when in doubt.
//
// There is a file for each kind: text.go, which has what they share, command.go, path.go and
// url.go. raw.go searches a line that nobody could read, meet.go compares a pattern with a
// wildcard of the line, and cover.go compares two patterns. A parsed pattern does not change,
// so several goroutines may ask it. Texts that are matched are the agent's, so no match may
// take more time than about the product of both lengths, nor fail.
//
// The package knows nothing of rules, calls or the disk: where a path leads was looked up
// before.
package patterns
