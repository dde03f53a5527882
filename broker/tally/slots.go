package tally

import (
	"time"

	"github.com/aoctl/aoctl/broker"
)

// The lengths are chosen so that a row has some dozens of slots at most, but for years of use.
const (
	day  = 24 * time.Hour
	week = 7 * day

	inHours = 48 * time.Hour // up to here a slot is an hour
	inDays  = 60 * day       // up to here a day, beyond it a week

	maxSlots = 520 // ten years of weeks; older ones are left out
)

// addHour counts c in the hour in which it was asked. Longer slots are made of hours, because
// how long they are to be is only known when all calls were seen.
func addHour(hours map[int64]*Slot, c broker.EndedCall, loc *time.Location) {
	at := c.Asked.In(loc)
	at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), 0, 0, 0, loc)
	s := hours[at.Unix()]
	// Most hours of a long span have no calls, so they are kept in a map.
	if s == nil {
		s = &Slot{At: at}
		hours[at.Unix()] = s
	}
	s.Calls++
	if Prompted(c) {
		s.Prompts++
	}
}

// slots joins hours to slots of one length, oldest first, without gaps. Slots without calls are
// among them, so that a quiet day shows as one.
func slots(hours map[int64]*Slot, loc *time.Location) (list []Slot, ms int64) {
	list = []Slot{}
	keys := sortedKeys(hours)
	if len(keys) == 0 {
		return list, 0
	}
	first, last := hours[keys[0]].At, hours[keys[len(keys)-1]].At
	length := length(last.Sub(first))
	for at := start(first, length, loc); !at.After(last); at = next(at, length, loc) {
		list = append(list, Slot{At: at})
	}
	i := 0
	for _, k := range keys {
		for i+1 < len(list) && !hours[k].At.Before(list[i+1].At) {
			i++
		}
		list[i].Calls += hours[k].Calls
		list[i].Prompts += hours[k].Prompts
	}
	return list[max(0, len(list)-maxSlots):], length.Milliseconds()
}

// length is that of a slot, for calls that came within this span.
func length(span time.Duration) time.Duration {
	switch {
	case span <= inHours:
		return time.Hour
	case span <= inDays:
		return day
	}
	return week
}

// start is the beginning of the slot in which at lies. Weeks begin on Mondays.
func start(at time.Time, length time.Duration, loc *time.Location) time.Time {
	if length == time.Hour {
		return at
	}
	back := 0 // days
	if length == week {
		back = (int(at.Weekday()) + 6) % 7
	}
	return time.Date(at.Year(), at.Month(), at.Day()-back, 0, 0, 0, 0, loc)
}

// next is the beginning of the slot after the one that begins at at. A day need not have 24 hours.
func next(at time.Time, length time.Duration, loc *time.Location) time.Time {
	days := int(length / day)
	if days == 0 {
		return at.Add(length)
	}
	return time.Date(at.Year(), at.Month(), at.Day()+days, 0, 0, 0, 0, loc)
}
