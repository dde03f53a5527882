package main

// mutations are ordered by threat. A protection has several layers in places; where one of
// them alone is out and another one holds, the script may rightly pass, so what stands
// here is the layer that the script is about.
var mutations = []mutation{
	{
		"threat-01-broken", "the guard of the installed line refuses", "hookclient/install/hookline/command.go",
		`gateGuard  = " || { test $? -eq 2 || echo '" + failed + "' >&2; exit 2; }"`, `gateGuard  = " || { test $? -eq 2 || echo '" + failed + "' >&2; exit 0; }"`,
	},
	{
		"threat-01-broken", "the client looks for which call an answer is", "hookclient/response.go",
		"case resp.correlation == correlation, resp.correlation == \"\" && !strict:", "case true:",
	},
	{
		"threat-01-broken", "the client that got no answer exits with 2", "hookclient/hookclient.go",
		"	exitRefused  = 2", "	exitRefused  = 1",
	},
	{
		"threat-02-reasons", "a rule's refusal says that no person was asked", "broker/words.go",
		`return "A rule in aoctl denied this call" + withReason(o.Reason) + " (rule " + o.By.ID + "; no person was asked, and asking again changes nothing)"`, `return "Denied."`,
	},
	{
		"threat-02-reasons", "time that ran out reads unlike a refusal", "broker/words.go",
		`so this call was not run. Nobody has refused it; %s",`, `so it was denied%.0s.",`,
	},
	{
		"threat-03-self-approval", "only an operator allows", "broker/api/allow.go",
		"	case by.Kind != broker.ByOperator && !errors.Is(err, broker.ErrNotFound):", "	case false && !errors.Is(err, broker.ErrNotFound):",
	},
	{
		"threat-03-self-approval", "a refused attempt is recorded", "broker/engine/note.go",
		"	if s.cause == nil {\n		s.note(now, d.EventType(), about, d)", "	if false {\n		s.note(now, d.EventType(), about, d)",
	},
	{
		"threat-03-agent-token", "a token does not help an agent's process", "broker/api/callers.go",
		"	by, why := cl.behind(r.Context(), peers.ActorOf(r))\n	if why != \"\" {", "	by, why := cl.behind(r.Context(), peers.ActorOf(r))\n	if why == \"never\" {",
	},
	{
		"threat-03-run", "no agent speaks in its user's name", "broker/api/runs.go",
		"	by, why := rt.behind(r.Context(), by)\n	if why != \"\" {", "	by, why := rt.behind(r.Context(), by)\n	if why == \"never\" {",
	},
	{
		"threat-03-config", "a settings file may not open the gate", "cli/config/config.go",
		"	if r, ok := Refused[name]; ok {", "	if _, ok := Refused[name]; ok {\n		return fmt.Sprint(v), nil\n	}\n	if r, ok := Refused[name+\"!\"]; ok {",
	},
	{
		"threat-03-config", "a settings file is no link", "cli/config/file.go",
		"|unix.O_NOFOLLOW|", "|",
	},
	{
		"threat-03-config", "a settings file has one name", "cli/config/file.go",
		"case !ok || st.Nlink > 1:", "case !ok || st.Nlink > 9:",
	},
	{
		"threat-03-config", "the settings file is aoctl's own", "cli/state/guarded.go",
		"{paths.StateDir, paths.ConfigDir}", "{paths.StateDir}",
	},
	{
		"threat-04-squatted", "commands look whether it is a socket", "cli/client/client.go",
		"case info.Mode().Type() != fs.ModeSocket:", "case false:",
	},
	{
		"threat-04-other-user", "the broker looks whose process calls", "broker/api/server.go",
		"case p.Err != nil || p.UID != os.Geteuid():", "case p.Err != nil || os.Geteuid() < 0:",
	},
	{
		"threat-05-screen", "ESC is drawn as a sign", "tui/safe/safe.go",
		"		if c < ' ' || c == 0x7f ||", "		if c < ' ' && c != 0x1b || c == 0x7f ||",
	},
	{
		"threat-06-hidden", "what joins or hides is drawn as a sign", "tui/safe/runes.go",
		"	return cellsOf(r) > 0\n", "	return r != 0x7f\n",
	},
	{
		"threat-07-tail", "the end of a call must have been seen", "tui/queue/drawn.go",
		"func locked(c *board.Card) bool { return !c.SeenEnd }", "func locked(*board.Card) bool { return false }",
	},
	{
		"threat-08-slide", "a card is deaf at first", "tui/guard/guard.go",
		"	DeafFor = 550 * time.Millisecond", "	DeafFor = 0 * time.Millisecond",
	},
	{
		"threat-09-once", "one id is one call", "broker/question.go",
		"	return r.Digest == q.Digest && r.SessionID", "	return r.SessionID",
	},
	{
		"threat-10-rewritten", "what ran is compared with what was allowed", "broker/alarm.go",
		"	}) {\n		return RanChanged\n	}", "	}) {\n		return \"\"\n	}",
	},
	{
		"threat-10-rewritten", "what was refused must not run", "broker/alarm.go",
		"	case Pending, Denied, Expired, Cancelled:\n		return RanRefused", "	case Pending, Denied, Expired, Cancelled:\n		return \"\"",
	},
	{
		"threat-11-bypass", "every part of a line must be allowed", "broker/rules/judge.go",
		"		o.add(r, i)\n		all[i] = r\n", "		if i == 0 {\n			o.add(r, i)\n		}\n		all[i] = r\n",
	},
	{
		"threat-12-paths", "files are looked at again when the person says yes", "broker/calls/decide.go",
		"	p.Stamp, err = cs.unchanged(ctx, req.ID)\n", "	x, _ := cs.o.View.Seen(req.ID, req.CreatedAt)\n	p.Stamp = x.Stamp\n",
	},
	{
		"threat-13-always", "runners take a rule that names all of it", "broker/rules/match.go",
		"	if !dangerous && f.x.exact == \"\" {", "	if !dangerous {",
	},
	{
		"threat-14-tcp", "the name that is asked for must be ours", "broker/api/tcp.go",
		"	case !ourHost(r.Host, here):", "	case false:",
	},
	{
		"threat-14-tcp", "a web page is turned away", "broker/api/tcp.go",
		"	case r.Header.Get(\"Origin\") != \"\" || r.Header.Get(\"Referer\") != \"\" || site", "	case site == \"never\" && site",
	},
	{
		"threat-14-tcp", "nothing over TCP without a token", "broker/api/tcp.go",
		"	case !given:\n		return ctx, &refusal{broker.NoToken", "	case false && !given:\n		return ctx, &refusal{broker.NoToken",
	},
	{
		"threat-14-tcp", "nothing is taken from an answer over TCP without proof", "hookclient/proof.go",
		"	if q.key != \"\" && hmac.Equal(", "	if q.key != \"\" || hmac.Equal(",
	},
	{
		"threat-14-tcp", "a token for asking only asks", "broker/api/tcp.go",
		"	case d.KindOrOperator() == broker.AskingToken && pattern", "	case false && pattern",
	},
	{
		"threat-15-payload", "a key that stands twice is refused", "broker/wire/json_scan.go",
		"			if bytes.EqualFold(k, key) {", "			if false && bytes.EqualFold(k, key) {",
	},
	{
		"threat-16-parser", "what agents wrote is read elsewhere first", "broker/policy/judge.go",
		"	r := vetted(q)\n	if r.Why != \"\" {", "	r := vet.Result{Legible: true}\n	if r.Why != \"\" {",
	},
	{
		"threat-16-crash-loop", "a call at which two consoles ended is set aside", "broker/service/quarantine.go",
		"const mostEnds = 2", "const mostEnds = 200",
	},
	{
		"threat-17-slow", "half a head is waited for 5 s at most", "broker/api/server.go",
		"	headerTimeout = 5 * time.Second", "	headerTimeout = time.Hour",
	},
	{
		"threat-17-slow", "half a body is waited for 10 s at most", "broker/api/server.go",
		"	bodyTimeout   = 10 * time.Second", "	bodyTimeout   = time.Hour",
	},
	{
		"threat-18-disk", "what is not recorded is refused", "broker/engine/loop.go",
		"		if err == nil {\n			l.release(steps)", "		if err == nil || len(list) > 0 {\n			l.release(steps)",
	},
	{
		"threat-19-crash", "a decision is recorded before it is told", "broker/engine/loop.go",
		"			err = l.record(ctx, list)\n", "			if _, decides := jobs[0].in.(Decide); !decides {\n				err = l.record(ctx, list)\n			}\n",
	},
	{
		"threat-20-log", "a row that its seal does not fit is named", "store/verify.go",
		"	if doubt != nil {\n		r.add(0, subject", "	if false {\n		r.add(0, subject",
	},
	{
		"threat-20-log", "a row that the log does not vouch for is not honoured", "store/trusted.go",
		"	t.subject, t.doubt = chain.RequestSubject(t.row.ID), doubtRequest(&t.row, &made, &ended)", "	_ = doubtRequest\n	t.subject = chain.RequestSubject(t.row.ID)",
	},
	{
		"threat-20-freeze", "a fact that was lost counts as a freeze", "broker/engine/restore.go",
		"	if lost != 0 {\n		s.presumeFrozen()", "	if false {\n		s.presumeFrozen()",
	},
	{
		"threat-21-stop", "a stop denies what waits", "broker/engine/stop.go",
		"	return s.denyStopped(now, id, in.By)\n", "	return nil\n",
	},
	{
		"threat-21-stop", "a stop holds for later calls", "broker/run_transitions.go",
		"	s.State, s.StopAskedAt = SessionStopping, Instant(now)", "	s.StopAskedAt = Instant(now)",
	},
	{
		"threat-21-kill", "more is not claimed than was seen", "broker/proctree/search.go",
		"		r.Unfinished = \"the agent's own process is not known\"", "		r.Unfinished = \"\"",
	},
	{
		"threat-22-asker", "cards of dead askers go", "broker/engine/asker.go",
		"			if c.Asker.bound && in.away(", "			if false && in.away(",
	},
	{
		"threat-22-restart", "a question that was open before is open again", "broker/engine/restore.go",
		"	for _, r := range st.Saved.Requests {\n", "	for _, r := range st.Saved.Requests[:0] {\n",
	},
	{
		"threat-fleet-1-operator", "who was put out orders nothing", "broker/fleet/orders/orders.go",
		"	if !ok {\n		return o, Taken{}, ErrStranger\n	}", "	if !ok {\n		m = members.Member{Name: \"ben\", Role: members.Operator}\n	}",
	},
	{
		"threat-fleet-1-operator", "the server takes a roster from owners alone", "broker/fleet/server/may.go",
		"	if role.Includes(members.Owner) {", "	if role.Includes(members.Guard) {",
	},
	{
		"threat-fleet-2-machine", "a machine orders nothing", "broker/fleet/members/roster.go",
		"	return r.rank() > 0 && least.rank() > 0 && r.rank() >= least.rank()", "	return r.rank() == 0 || r.rank() >= least.rank()",
	},
	{
		"threat-fleet-2-machine", "a machine speaks for itself alone", "broker/fleet/told/told.go",
		"	case !slices.Equal(s.By, machine.Sign), t.Fleet != n.Fleet, t.Machine != machine.ID():", "	case t.Fleet != n.Fleet, t.Machine != machine.ID():",
	},
	{
		"threat-fleet-3-server", "a server is known by its key", "broker/fleet/jet/jet.go",
		"			if len(s.PeerCertificates) == 0 || subtle.ConstantTimeCompare(PinOf(s.PeerCertificates[0].RawSubjectPublicKeyInfo), pin) != 1 {", "			if subtle.ConstantTimeCompare(pin, pin) != 1 {",
	},
	{
		"threat-fleet-3-server", "an old roster ends", "broker/fleet/orders/orders.go",
		"	case !need.Refuses && !d.roster.Fresh(now):", "	case !need.Refuses && !d.roster.Fresh(now) && now.IsZero():",
	},
	{
		"threat-fleet-4-hostile", "what grows when it is decoded is not decoded", "broker/fleet/keys/signed.go",
		"func DecodeKnown(raw []byte, v any) error {\n	if Weight(raw) > MaxWeight {", "func DecodeKnown(raw []byte, v any) error {\n	if Weight(raw) > 1<<40 {",
	},
	{
		"threat-fleet-5-restore", "what lets something run is for one run of the broker", "broker/fleet/orders/orders.go",
		"	case !o.Waits() && o.Boot != d.boot:", "	case !o.Waits() && o.Boot == \"\":",
	},
	{
		"threat-fleet-6-code", "a code is good for a time", "broker/fleet/server/gate.go",
		"return slices.Equal(in.Key, key) && g.now().Before(in.Until) })", "return slices.Equal(in.Key, key) })",
	},
	{
		"threat-fleet-6-code", "who tries many codes has to wait", "broker/fleet/server/tries.go",
		"	return t.from[at] >= triesMost\n", "	return t.from[at] < 0\n",
	},
	{
		"threat-24-paused", "the client has a clock of its own", "hookclient/conversation.go",
		"	if err := conn.SetDeadline(limit); err != nil {", "	if err := conn.SetDeadline(limit.Add(time.Hour)); err != nil {",
	},
}
