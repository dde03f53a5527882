package sim

import "testing"

// TestDiskFailsAtEveryCommit goes through worlds once for every commit that there is in them,
// and has each fail in every way: what allows is refused then, what refuses holds, and what the
// broker remembers is what the disk has.
func TestDiskFailsAtEveryCommit(t *testing.T) {
	const moves, most = 150, 60
	worlds := uint64(3)
	if testing.Short() {
		worlds = 1
	}
	for seed := range worlds {
		list := visited(seed, draw(seed, moves))
		for at := range most {
			for _, f := range []fault{refuses, lies, killed, killedOn} {
				w := newWorld(false)
				w.disk.faults = append(make([]fault, at), f)
				for _, m := range list {
					if w.do(m); w.wrong != "" {
						break
					}
				}
				w.settle()
				if w.wrong != "" {
					t.Fatalf("seed %d, commit %d %s: %s", seed, at, f, w.wrong)
				}
			}
		}
	}
}
