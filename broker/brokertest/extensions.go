package brokertest

import (
	"encoding/json"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// extensions lists the newest of each pending request, oldest first. Caller holds mu. An event
// that cannot be read counts as none, as in package store.
func (m *Memory) extensions() []broker.Extension {
	var list []broker.Extension
	for _, e := range slices.Backward(m.events) {
		r := m.requests[e.RequestID]
		if e.Type != broker.EventExtended || r == nil || r.State != broker.Pending {
			continue
		}
		// The log is read backwards, so a later one is in the list already.
		if slices.ContainsFunc(list, func(o broker.Extension) bool { return o.RequestID == e.RequestID }) {
			continue
		}
		x := broker.Extension{RequestID: e.RequestID, At: e.At}
		if json.Unmarshal(e.Data, &x.ExtendedData) == nil {
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	return list
}
