// Package risk says how dangerous a tool call is, and why. It judges what the call would touch,
// not what the agent says about it, and it is no permission: a safe call may still be refused
// and a dangerous one allowed by a person.
//
// Assess is the way in. A command line goes to lineJudge, which hands each element to the judge
// of what it does: fileJudge for files that are read and changed, secretJudge for what shows
// keys, commandJudge for the words of a command, textJudge for what nobody can parse. flow then
// looks at what the elements do to each other, such as a download that a shell runs. Any other
// call goes to toolJudge, which finds the files among its parameters. All of them share a
// scene: a resolver, which says where paths lead and which files are guarded, and the findings
// so far. The worst finding is the class of the call. doesJudge says what each element does, in the
// terms of package effects. A call without findings is normal, and safe only where it merely looks:
// what nobody recognises is never safe.
//
// What is known of programs stands in tables: package commands has a row for each thing that is
// remarkable about a command, paths.go and secrets.go the files that matter, and the pages of
// package programs say which options take a value. Package said makes the sentences of findings.
//
// A doubt works in two directions. What makes a call dangerous is looked for in every reading
// of its words and paths; what makes it safe must hold in all of them. So most functions come
// in one of two tones, "may" for the first and "surely" for the second, and it is a mistake to
// use one for the other.
//
// Guarded is more than dangerous: aoctl's own files and what switches an agent's hooks off. No
// rule may allow such a call. The tables only ever make a call look worse, so a row too many
// costs a question, and a row too few is a hole.
//
// The package is pure but for Place.Real, Place.Git and the other functions of a Place, through
// which it asks where a path leads, which repository is there and which files hold keys. It
// knows no rules; package rules asks it about each call.
package risk

import (
	"cmp"
	"encoding/json"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// Class is how dangerous a call is. A larger one is worse.
type Class int

// The classes. The zero Class is Normal's: what nobody has judged is not safe.
const (
	Safe      Class = iota - 1 // only looks, inside the project
	Normal                     //
	Dangerous                  // may destroy, leak or open what cannot be taken back
)

// Risk is the judgement of one call. It is what the screen and the API show, and rules look at
// Class and Guarded. The texts in it are the agent's.
type Risk struct {
	Class    Class     `json:"risk"`                    // the worst of the findings
	Why      string    `json:"risk_reason,omitempty"`   // what the worst finding says
	Findings []Finding `json:"risk_findings,omitempty"` // worst first
	Guarded  bool      `json:"guarded,omitempty"`       // touches aoctl's own files or an agent's hook settings: no rule may allow it
	Does     []Does    `json:"effects,omitempty"`       // what the call does, each effect once for each reason

	// Parts are the effects of each element of a command line, all of them; of any other call there is
	// one. This is what grants are compared with.
	Parts []effects.Set `json:"-" cbor:"parts"`
}

// Finding is one reason. Why is one of some hundred phrases of ours and safe to show; Text is
// the agent's, and Says has parts of it that were looked at.
type Finding struct {
	Class   Class  `json:"class"`
	Why     string `json:"why"`               // a few plain words: "deletes outside the project"
	Says    string `json:"says,omitempty"`    // who does what to what: "sh runs whatever get.example sends"; empty when that is not certain
	Text    string `json:"text,omitempty"`    // the part that it is about, raw
	Element int    `json:"element,omitempty"` // its place among the elements of a command line, from 0
	Guarded bool   `json:"guarded,omitempty"`
}

// Words are what a person is told: the sentence where there is one, else the general words.
func (f Finding) Words() string { return cmp.Or(f.Says, f.Why) }

// Place is where a call would run. The broker fills it in; nothing in it comes from the agent
// but CWD, which its hook reports. Its functions may look at the disk, and are asked while the
// call is judged.
type Place struct {
	CWD     string   // absolute
	Project string   // real path of the project's folder; "" when unknown or too wide to mean anything
	Home    string   // real path of the user's home; "" when there is none
	Own     []string // real paths of aoctl's own files and folders
	Port    string   // of this machine, where aoctl listens; "" for none

	// Real follows the links of an absolute path as far as it exists; the rest is
	// appended as it stands. nil: paths are taken as they are written.
	Real func(path string) (string, error)

	// Git says which repository git would use in a folder, given by its real path. nil:
	// nobody knows, and git is taken to use the project's own.
	Git func(dir string) Git

	// OwnPassword says whether the user's own settings of git hold a password or a token. nil:
	// nobody looks.
	OwnPassword func() bool

	// Secrets are the files below a folder, given by its real path, that SecretAt names; whole
	// says whether all of the folder was looked at. nil: nobody looks.
	Secrets func(dir string) (found []string, whole bool)

	// Kept reports whether git could bring back all that is at a real path and below. nil: nobody looks,
	// and nothing can be brought back.
	Kept func(path string) bool

	// Brings are the files that a git command would change in the work tree of the repository in a folder,
	// given by its real path: paths below that folder. known: there are no others, and none would be
	// lost. nil: nobody looks.
	Brings func(top string, b effects.Brings) (files []string, known bool)

	// HookFolders are folders that git's settings name for hooks, by their absolute paths. nil: nobody
	// looks.
	HookFolders func() []string

	// Tracked are those that the repository keeps which git would use in a folder, but for what
	// lies among its tests. nil: nobody looks.
	Tracked func(dir string) (found []string, whole bool)

	// Dashes says whether some name in a folder, given by its real path, begins with a dash, or may. nil:
	// nobody looks.
	Dashes func(dir string) bool

	// Exists says whether something lies at an absolute path. nil: nobody looks.
	Exists func(path string) bool

	// Matches are the files that an absolute pattern of a shell may stand for; all says whether there are no
	// others. nil: nobody looks.
	Matches func(pattern string) (files []string, all bool)

	// Index are the files that git has in the repository that it would use in a folder, by their absolute paths;
	// whole says whether these are all. nil: nobody looks.
	Index func(dir string) (files []string, whole bool)

	// Below is what a program may find that goes through a folder, given by its real path. nil: nobody
	// looks.
	Below func(dir string) Below
}

// Below is what is odd about the names below a folder.
type Below struct {
	Links   []string // links, by their paths
	Special bool     // there is a pipe, a socket or a device
	Blanks  bool     // some name has a blank, a quote or a backslash in it
	Whole   bool     // all of the folder was looked at
}

// Call is what is judged. Without a Line the tool runs no command line, or none that was read.
type Call struct {
	Tool  string          // the agent's name for the tool
	Input json.RawMessage // one JSON object
	Line  *shell.Line     // of tools that run a command line, else nil
}
