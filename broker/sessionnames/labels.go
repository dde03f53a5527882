package sessionnames

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker"
)

// tail is how many characters of an id, at least, tell sessions of one name apart. They
// are its last ones: the first ones tell only the time.
const tail = 4

// Of is what people call s: its name, else its id.
func Of(s *broker.Session) string {
	if s.Name != "" {
		return s.Name
	}
	return s.ID
}

// All goes through a list of sessions.
func All(list []broker.Session) iter.Seq[*broker.Session] {
	return func(yield func(*broker.Session) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Labels says what each session is called among these, by its id.
func Labels(sessions iter.Seq[*broker.Session]) map[string]string {
	var living, ended []*broker.Session
	for s := range sessions {
		if s.Ended() {
			ended = append(ended, s)
		} else {
			living = append(living, s)
		}
	}
	n := naming{labels: make(map[string]string, len(living)+len(ended)), holders: map[string]int{}}
	n.name(living)
	n.name(ended)
	return n.labels
}

// naming is labels that were given, and how many sessions want each.
type naming struct {
	labels  map[string]string
	holders map[string]int
}

// name gives a label to each of list, beside those that were given before. A label that several
// want goes to none of them; each tries again with one character more of its id.
func (n *naming) name(list []*broker.Session) {
	for more := 0; len(list) > 0; more = max(tail, more+1) {
		for _, s := range list {
			n.holders[label(s, more)]++
		}
		var again []*broker.Session
		for _, s := range list {
			l := label(s, more)
			if n.holders[l] > 1 {
				again = append(again, s)
				continue
			}
			n.labels[s.ID] = l
		}
		list = again
	}
}

// label is the name of s with so many of the last characters of its id. Names and ids may be
// made to look like other labels, whole ids too. So when more is asked for than an id has, a
// sum follows that is another one each time, and that nobody can choose.
func label(s *broker.Session, more int) string {
	switch {
	case more == 0:
		return Of(s)
	case more <= max(tail, utf8.RuneCountInString(s.ID)):
		return Of(s) + "-" + lastOf(s.ID, more)
	}
	sum := sha256.Sum256(fmt.Append(nil, more, s.ID))
	return Of(s) + "-" + s.ID + "-" + hex.EncodeToString(sum[:tail])
}

// lastOf counts characters, so that none is cut in two.
func lastOf(id string, n int) string {
	r := []rune(id)
	return string(r[max(0, len(r)-n):])
}
