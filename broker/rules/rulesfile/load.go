package rulesfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/google/uuid"
)

// Digest is the hex SHA-256 of a rules file, by which an operator trusts it. It is over the
// bytes as they are, so that any change ends the trust.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Load reads a project's own rules file, which stands at path with the content data. Its rules
// hold in the project only, whatever they say, and its allow rules are disabled unless trusted:
// whoever works in the project, an agent too, can write it.
//
// For the same reason each rule's id is made from path and its id or number in the file, so
// that no file can borrow the name of another rule, and nothing is believed about who made a
// rule and when. Errors wrap *Error; then there are no rules. project is absolute.
func Load(path string, data []byte, trusted bool, project string) ([]rules.Rule, error) {
	list, err := loadFile(path, data, trusted, filepath.Clean(project))
	if err != nil {
		return nil, fmt.Errorf("rules file %s: %w", rules.Printable(path), err)
	}
	return list, nil
}

// loadFile is Load without the file's name in its errors.
func loadFile(path string, data []byte, trusted bool, project string) ([]rules.Rule, error) {
	if len(data) > rules.MaxFile {
		return nil, &Error{Problem: fmt.Sprintf("the file is larger than %d MiB", rules.MaxFile>>20)}
	}
	list, f, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	for i := range list {
		r := &list[i]
		if p := r.Scope.Project; p != "" && filepath.Clean(p) != project {
			return nil, f.wrong(i+1, "scope.project", "the rules of a project hold in that project only; leave this out")
		}
		// Trust is given to a file as a whole, and not to each command in it.
		if r.Dangerous {
			return nil, f.wrong(i+1, "dangerous", "only the operator's own rules may allow dangerous calls")
		}
		// Without an id the number stands for it, so a rule that moves in the file becomes
		// another one.
		name := r.ID
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		r.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("file://"+path+"#"+name)).String()
		r.Scope.Project, r.Source = project, path
		// Rules that refuse hold at once: an agent that writes them only binds itself.
		r.Enabled = r.Enabled && (trusted || r.Decision != rules.Allow)
		r.CreatedBy, r.CreatedFrom = "", ""
		r.CreatedAt, r.UpdatedAt = time.Time{}, time.Time{}
		// Parse has checked the rule as it stood in the file; this is what it has become.
		if err := f.check(i+1, *r); err != nil {
			return nil, err
		}
	}
	return list, nil
}
