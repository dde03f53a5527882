package tally

// Spent is what sessions used, in all their time, as their agents say.
type Spent struct {
	Sessions int     `json:"sessions"`           // that told of tokens or money
	Priced   int     `json:"sessions_with_cost"` // of these, that told of money
	Cost     float64 `json:"cost_usd"`           // of the priced ones; nobody knows it of the others

	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
}

// In is all that agents' models read, from a cache or not.
func (s Spent) In() int64 { return s.Input + s.CacheRead + s.CacheWrite }

// Tokens are all of them.
func (s Spent) Tokens() int64 { return s.In() + s.Output }

// add sums up; what nobody told is 0 on both sides.
func (s *Spent) add(o Spent) {
	s.Sessions, s.Priced, s.Cost = s.Sessions+o.Sessions, s.Priced+o.Priced, s.Cost+o.Cost
	s.Input, s.Output, s.CacheRead, s.CacheWrite = s.Input+o.Input, s.Output+o.Output, s.CacheRead+o.CacheRead, s.CacheWrite+o.CacheWrite
}

// Spend is r with what its sessions spent: by session, by agent and in all. of says it of a session,
// and whose session that is. It changes nothing of r itself: a screen may still be drawing it. A
// session whose agent told nothing is in the row with zeros.
func (r Report) Spend(of func(sessionID string) (agent string, s Spent)) Report {
	sessions, agents := make([]Group, len(r.Sessions)), make([]Group, len(r.Agents))
	copy(agents, r.Agents)
	place := map[string]int{}
	for i := range agents {
		place[agents[i].ID], agents[i].Spent = i, Spent{}
	}
	r.Spent = Spent{}
	for i, g := range r.Sessions {
		agent, s := of(g.ID)
		g.Spent = s
		sessions[i] = g
		r.Spent.add(s)
		if at, ok := place[agent]; ok {
			agents[at].Spent.add(s)
		}
	}
	r.Sessions, r.Agents = sessions, agents
	return r
}
