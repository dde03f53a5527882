// Package bucket limits how often something may happen. A Bucket is plain data, and the time comes
// with each question, so that it can be taken back with the rest of the engine's state.
//
// The engine has some in each session and one for new sessions. A step takes from a draft; when
// its round cannot be recorded the draft is thrown away, and nothing was taken.
//
// There is no timer and no lock: what has come back is worked out when somebody asks. A clock
// that is set back gives nothing back and takes nothing away.
package bucket

import "time"

// Bucket is a token bucket. The zero value is full. It may be copied and compared. What it allows
// depends on the rate and burst of each question, which are not kept.
type Bucket struct {
	used float64   // tokens that were taken and have not come back
	at   time.Time // when used was true
}

// Take takes one token. rate tokens come back each second, and there are at most burst. A rate below
// 0 limits nothing. It is false, and takes nothing, when there is no whole token. A burst below 1
// therefore allows nothing.
func (k *Bucket) Take(now time.Time, rate, burst float64) bool {
	if rate < 0 {
		return true
	}
	if passed := now.Sub(k.at); passed > 0 {
		k.used = max(0, k.used-rate*passed.Seconds())
		k.at = now
	}
	if k.used+1 > burst {
		return false
	}
	k.used++
	return true
}
