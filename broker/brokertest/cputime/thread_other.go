//go:build !linux

package cputime

import "time"

var start = time.Now()

func ofThread() time.Duration { return time.Since(start) }
