package service_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/workspace"
)

// A project whose path cannot be shown as it is is refused, and so is a link to one.
func TestTrustPath(t *testing.T) {
	c := serve(t, service.Options{})
	dir := workspace.RealPath(t.TempDir())
	odd, link, fine := filepath.Join(dir, "a\x1b[2Jb"), filepath.Join(dir, "link"), filepath.Join(dir, "fine")
	for _, d := range []string{odd, fine} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(odd, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir  string
		want int
	}{{odd, http.StatusBadRequest}, {link, http.StatusBadRequest}, {dir + "/a\u009bb", http.StatusBadRequest}, {"/" + strings.Repeat("x", 5000), http.StatusBadRequest}, {fine, http.StatusOK}} {
		body, err := json.Marshal(map[string]string{"project": tt.dir, "effects": "look"})
		if err != nil {
			t.Fatal(err)
		}
		code, answer := c.do("POST", "/trust", string(body))
		if code != tt.want {
			t.Errorf("%.40q: %d %v", tt.dir, code, answer)
		}
	}
	if list := c.b.Proposals(); len(list) != 1 || list[0].Project != fine {
		t.Errorf("proposed: %+v", list)
	}
}
