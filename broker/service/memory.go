package service

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A console is idle most of its life, and then should hold little; a burst of calls should not
// wait for a collection.
const (
	growth    = 200         // percent of what is in use, between two collections
	quietFor  = time.Second // between two looks
	quietRate = 4 << 20     // bytes: who takes less between two looks is quiet
	worth     = 16 << 20    // bytes taken since the last collection of its own that make one worth it
)

// SaveMemory lets the process that holds a broker take memory freely while much happens, so that
// few collections delay the answers, and gives back what is no longer needed once it is quiet. It
// returns when ctx ends. It is of the whole process, so New leaves it to the program. Where GOGC
// is in the environment, it does nothing.
func SaveMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(growth)
	look := time.NewTicker(quietFor)
	defer look.Stop()
	for last, collected := taken(), uint64(0); ; {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		before := last
		if last = taken(); last-before < quietRate && last-collected > worth {
			collected = last
			runtime.GC() // pools let go at the second collection: encoding/json keeps the buffer of its longest text
			debug.FreeOSMemory()
		}
	}
}

// taken is how many bytes of memory this process took in its life.
func taken() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
