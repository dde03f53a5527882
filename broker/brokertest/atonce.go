package brokertest

import (
	"flag"
	"runtime"
	"strconv"
)

// AtOnce lets n tests run at a time, or more on a machine with more processors, unless go test
// -parallel says how many. It is for the TestMain of tests that wait more than they compute. It
// must be called before m.Run, which parses the flags: one of the command line then takes this
// one's place.
func AtOnce(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
}
