package trust

import "testing"

// The end of a path says which project it is, so it is what stays in a narrow window.
func TestPathEnd(t *testing.T) {
	for _, tt := range []struct {
		room int
		want string
	}{{18, "/home/ada/src/shop"}, {17, "…/ada/src/shop"}, {13, "…/src/shop"}, {9, "…/shop"}, {5, "shop"}, {-3, "shop"}} {
		if got := pathEnd("/home/ada/src/shop", tt.room); got != tt.want {
			t.Errorf("%d cells: %q, want %q", tt.room, got, tt.want)
		}
	}
	if got := pathEnd("/a\x1b/b", 2); got != "b" {
		t.Errorf("got %q", got)
	}
}
