package sessionnames

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker"
)

// A Kind is some of the sessions, those that a command is about.
type Kind func(broker.Session) bool

// Alive are the sessions behind which a process stands.
func Alive(s broker.Session) bool { return !s.Ended() }

// Any are all sessions.
func Any(broker.Session) bool { return true }

// Pick returns the sessions that ref may mean. Those of the first kind come first: when one of
// them fits, the later kinds do not count. A whole id, and a label, mean one session even
// when ref fits others of its kind in another way.
func Pick(sessions []broker.Session, ref string, kinds ...Kind) []broker.Session {
	var fit []broker.Session
	labels := Labels(All(sessions))
	for _, s := range sessions {
		if !slices.ContainsFunc(kinds, func(is Kind) bool { return is(s) }) {
			continue
		}
		if s.ID == ref {
			return []broker.Session{s}
		}
		if ref != "" && (labels[s.ID] == ref || Fits(s, ref)) {
			fit = append(fit, s)
		}
	}
	for _, is := range kinds {
		first := slices.DeleteFunc(slices.Clone(fit), func(s broker.Session) bool { return !is(s) })
		if i := slices.IndexFunc(first, func(s broker.Session) bool { return labels[s.ID] == ref }); i >= 0 {
			return first[i : i+1]
		}
		if len(first) > 0 {
			return first
		}
	}
	return nil
}

// Fits reports whether a person who writes ref, which is not empty, may mean s.
func Fits(s broker.Session, ref string) bool {
	return strings.HasPrefix(s.ID, ref) || s.Name == ref || endsIn(s.ID, ref) || labelled(s, ref) || inFolder(s, ref)
}

// labelled reports whether ref is a label of s, among whatever sessions. On paper, and to a
// reader, the end of the id may as well stand behind a blank.
func labelled(s broker.Session, ref string) bool {
	end, ok := strings.CutPrefix(ref, Of(&s))
	return ok && end != "" && (end[0] == '-' || end[0] == ' ') && endsIn(s.ID, end[1:])
}

// endsIn wants as many characters as a label has at least: fewer fit too many ids.
func endsIn(id, end string) bool {
	return utf8.RuneCountInString(end) >= tail && strings.HasSuffix(id, end)
}

// inFolder reports whether ref is a folder of s: a path, or a folder's name.
func inFolder(s broker.Session, ref string) bool {
	if strings.ContainsRune(ref, filepath.Separator) || ref == "." || ref == ".." {
		path, err := filepath.Abs(ref)
		return err == nil && (s.CWD == path || s.ProjectDir == path)
	}
	return folderName(s.CWD) == ref || folderName(s.ProjectDir) == ref
}

// folderName is "" for no folder; filepath.Base would call it ".".
func folderName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}
