package sessionnames

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
)

func living(id, name string) broker.Session {
	return broker.Session{ID: id, Name: name, CWD: "/src/" + name, State: broker.SessionActive}
}

func ended(id, name string) broker.Session {
	s := living(id, name)
	s.State, s.EndedAt = broker.SessionFinished, time.Unix(1, 0)
	return s
}

func TestLabels(t *testing.T) {
	for name, tc := range map[string]struct {
		sessions []broker.Session
		want     map[string]string
	}{
		"alone":                    {[]broker.Session{living("0197-7185", "shop")}, map[string]string{"0197-7185": "shop"}},
		"without a name":           {[]broker.Session{living("0197-7185", "")}, map[string]string{"0197-7185": "0197-7185"}},
		"two of a name":            {[]broker.Session{living("0197-7185", "shop"), living("0197-4444", "shop")}, map[string]string{"0197-7185": "shop-7185", "0197-4444": "shop-4444"}},
		"ids that end alike":       {[]broker.Session{living("a27185", "shop"), living("a37185", "shop")}, map[string]string{"a27185": "shop-27185", "a37185": "shop-37185"}},
		"an ended one gives way":   {[]broker.Session{ended("0197-7185", "shop"), living("0197-4444", "shop")}, map[string]string{"0197-7185": "shop-7185", "0197-4444": "shop"}},
		"a name like a label":      {[]broker.Session{living("x-7185", "shop"), living("x-4444", "shop"), living("y-9999", "shop-7185")}, map[string]string{"x-7185": "shop--7185", "x-4444": "shop-4444", "y-9999": "shop-7185"}},
		"a name taken by an ended": {[]broker.Session{ended("x-7185", "shop"), ended("x-4444", "shop"), living("y-9999", "shop-7185")}, map[string]string{"x-7185": "shop--7185", "x-4444": "shop-4444", "y-9999": "shop-7185"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Labels(All(tc.sessions))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLabelsTell: whatever names agents choose, a label means one session, and writing it
// finds that one; ended sessions change no label of a living one.
func TestLabelsTell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, alive []broker.Session
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab]{3,7}|a(-a){1,4}|aaab[+]{0,3}`), 1, 6, rapid.ID[string]).Draw(t, "ids")
		for _, id := range ids {
			s := living(id, rapid.SampledFrom([]string{"", "s", "s-aaab", "s-abab", "abab", "a", "a-a", "a-a-a"}).Draw(t, "name"))
			if rapid.Bool().Draw(t, "ended") {
				s.EndedAt = time.Unix(1, 0)
			} else {
				alive = append(alive, s)
			}
			all = append(all, s)
		}
		labels := Labels(All(all))
		if got := slices.Compact(slices.Sorted(maps.Values(labels))); len(got) != len(all) {
			t.Fatalf("%d sessions have these labels: %q", len(all), labels)
		}
		for id, label := range Labels(All(alive)) {
			if labels[id] != label {
				t.Fatalf("%s is %q among the living, %q among all", id, label, labels[id])
			}
			if got := Pick(all, label, Alive, Any); len(got) != 1 || got[0].ID != id && got[0].ID != label {
				t.Fatalf("%q is the label of %s, and means %v", label, id, got)
			}
		}
	})
}

func TestPick(t *testing.T) {
	sessions := []broker.Session{
		living("0197-7185", "shop"), living("0197-4444", "shop"),
		ended("0196-1111", "docs"), living("0197-5555", "docs"), ended("0196-2222", "old"), ended("0196-3333", "old"),
		{ID: "0197-6666", Name: "other", CWD: "/src/lone", State: broker.SessionActive},
		living("0197-8888", "lone"),
	}
	for ref, want := range map[string][]string{
		"shop":       {"0197-7185", "0197-4444"},
		"shop-7185":  {"0197-7185"},
		"shop 7185":  {"0197-7185"},
		"7185":       {"0197-7185"},
		"185":        nil,
		"docs":       {"0197-5555"},
		"docs-1111":  {"0196-1111"},
		"old":        {"0196-2222", "0196-3333"},
		"lone":       {"0197-8888"},
		"/src/lone":  {"0197-6666", "0197-8888"},
		"shop-4445":  nil,
		"":           nil,
		"0196-1111":  {"0196-1111"},
		"0197-7185x": nil,
	} {
		var got []string
		for _, s := range Pick(sessions, ref, Alive, Any) {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", ref, diff)
		}
	}
}

func ExampleLabels() {
	labels := Labels(All([]broker.Session{living("0197-7185", "shop"), living("0197-4444", "shop")}))
	fmt.Println(labels["0197-7185"])
	// Output: shop-7185
}
