package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// ruleBody is a rule as a caller may say it; what is not there is the broker's. Priority and
// Enabled are pointers because their zero values mean something. The id of a new rule is usually
// left to the broker.
type ruleBody struct {
	ID          string            `json:"id"`
	Version     int               `json:"version"` // PUT: of the rule that is to be changed
	Priority    *int              `json:"priority"`
	Enabled     *bool             `json:"enabled"`
	Scope       rules.Scope       `json:"scope"`
	Tool        string            `json:"tool"`
	Where       map[string]string `json:"where"`
	Effects     effects.Set       `json:"effects"`
	Decision    rules.Verdict     `json:"decision"`
	Dangerous   bool              `json:"dangerous"`
	Reason      string            `json:"reason"`
	ExpiresAt   time.Time         `json:"expires_at"`
	MaxUses     int               `json:"max_uses"`
	CreatedFrom string            `json:"created_from"`
}

// rule is the rule of a body. What a caller leaves out has its default: rules are enabled, and of
// rules.DefaultPriority.
func (rb ruleBody) rule() rules.Rule {
	r := rules.Rule{
		ID: rb.ID, Version: rb.Version, Priority: rules.DefaultPriority, Enabled: true, Scope: rb.Scope, Tool: rb.Tool, Where: rb.Where, Effects: rb.Effects,
		Decision: rb.Decision, Dangerous: rb.Dangerous, Reason: rb.Reason, ExpiresAt: rb.ExpiresAt, MaxUses: rb.MaxUses, CreatedFrom: rb.CreatedFrom,
	}
	if rb.Priority != nil {
		r.Priority = *rb.Priority
	}
	if rb.Enabled != nil {
		r.Enabled = *rb.Enabled
	}
	return r
}

// getRules lists the rules in force, and the rules files of projects. The lists are copied so
// that an empty one is [] and not null in the JSON.
func (rt ruleRoutes) getRules(w http.ResponseWriter, r *http.Request) {
	book := rt.o.Rules.Rules(r.Context())
	writeJSON(w, http.StatusOK, struct {
		Rules   []rules.Rule       `json:"rules"`
		Files   []broker.RulesFile `json:"files"`
		Problem string             `json:"problem,omitempty"`
	}{append([]rules.Rule{}, book.Rules...), append([]broker.RulesFile{}, book.Files...), book.Problem})
}

func (rt ruleRoutes) postRule(w http.ResponseWriter, r *http.Request) { rt.takeRule(w, r, "") }

// putRule replaces a rule. The body's version must be the current one: whoever changes
// a rule has seen it. A rule of a file is not found here: it is changed in its file.
func (rt ruleRoutes) putRule(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if r, known := rt.o.View.Rule(id); !known || r.Source != "" {
		fail(w, fmt.Errorf("rule %s: %w", broker.Clip(id), broker.ErrNotFound))
		return
	}
	rt.takeRule(w, r, id)
}

// postSessionRule makes a rule that holds for one session only, which ends with it.
func (rt ruleRoutes) postSessionRule(w http.ResponseWriter, r *http.Request) {
	s, err := rt.sessionToCome(r)
	if err != nil {
		fail(w, err)
		return
	}
	rt.takeRuleOf(w, r, "", s.ID)
}

// sessionToCome is the session in the path, or one of that id of which nothing is known yet: a program
// that starts an agent makes its rules first.
func (rt ruleRoutes) sessionToCome(r *http.Request) (broker.Session, error) {
	s, err := rt.o.Records.Session(r.Context(), r.PathValue("id"))
	if errors.Is(err, broker.ErrNotFound) {
		s.ID = r.PathValue("id")
		err = broker.CheckName("session", s.ID)
	}
	return s, err
}

func (rt ruleRoutes) takeRule(w http.ResponseWriter, r *http.Request, id string) {
	rt.takeRuleOf(w, r, id, "")
}

// takeRuleOf saves the rule in the body: under id when there is one, for one session
// when there is one.
//
// The body may name the id or the session again, but only the same one. Otherwise the caller has
// mixed up two rules, and neither is saved.
func (rt ruleRoutes) takeRuleOf(w http.ResponseWriter, r *http.Request, id, session string) {
	var body ruleBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := rt.callerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	rule := body.rule()
	switch {
	case id != "" && rule.ID != "" && rule.ID != id:
		err = fmt.Errorf("%w: the body's id is not the path's", broker.ErrInvalid)
	case id == "" && rule.Version != 0:
		err = fmt.Errorf("%w: a new rule has no version; PUT /rules/{id} changes one", broker.ErrInvalid)
	case session != "" && rule.Scope.Session != "" && rule.Scope.Session != session:
		err = fmt.Errorf("%w: the rule is of another session", broker.ErrInvalid)
	}
	if err != nil {
		fail(w, err)
		return
	}
	if id != "" {
		rule.ID = id
	}
	if session != "" {
		rule.Scope.Session = session
	}
	saved, err := rt.o.Rules.SaveRule(r.Context(), rule, by)
	if err != nil {
		fail(w, err)
		return
	}
	// Programs count its members, so it is a list even when it is empty.
	if saved.Decided == nil {
		saved.Decided = []broker.Request{}
	}
	writeJSON(w, http.StatusOK, saved)
}

// deleteRule ends a rule. Who may do that is for the room behind to say: a rule that allows may go
// without an operator, one that refuses may not.
func (rt ruleRoutes) deleteRule(w http.ResponseWriter, r *http.Request) {
	by, err := rt.callerOf(r)
	if err == nil {
		err = rt.o.Rules.RemoveRule(r.Context(), r.PathValue("id"), by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": r.PathValue("id")})
}

// getSessionRules lists the rules that can speak about a session's calls. Rules without a scope
// are among them. Whether one really speaks depends on the call, which postExplain answers.
func (rt ruleRoutes) getSessionRules(w http.ResponseWriter, r *http.Request) {
	s, err := rt.sessionToCome(r)
	if err != nil {
		fail(w, err)
		return
	}
	project := workspace.RealPath(cmp.Or(s.ProjectDir, s.CWD))
	var list []rules.Rule
	for _, rule := range rt.o.Rules.Rules(r.Context()).Rules {
		at := rule.Scope
		if (at.Session == "" || at.Session == s.ID) && (at.Agent == "" || at.Agent == s.Agent) &&
			(at.Project == "" || workspace.Below(workspace.RealPath(at.Project), project)) {
			list = append(list, rule)
		}
	}
	writeList(w, list, nil)
}

// explainBody is a call that nobody makes: what would the rules say?
type explainBody struct {
	SessionID string          `json:"session_id"`
	Agent     string          `json:"agent"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	CWD       string          `json:"cwd"`
	Project   string          `json:"project_dir"`
}

// postExplain judges a call without asking, recording or counting anything. It is open to every
// process of the user: what the rules say can be read in the rules, too.
func (rt ruleRoutes) postExplain(w http.ResponseWriter, r *http.Request) {
	var body explainBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	switch {
	case body.ToolName == "":
		fail(w, fmt.Errorf("%w: tool_name is missing", broker.ErrInvalid))
		return
	case len(body.ToolInput) == 0 || body.ToolInput[0] != '{':
		fail(w, fmt.Errorf("%w: tool_input must be an object", broker.ErrInvalid))
		return
	case body.CWD != "" && !filepath.IsAbs(body.CWD):
		fail(w, fmt.Errorf("%w: cwd must be absolute", broker.ErrInvalid))
		return
	}
	req := broker.Request{SessionID: body.SessionID, Agent: cmp.Or(body.Agent, "claude"), ToolName: body.ToolName, ToolInput: body.ToolInput, CWD: body.CWD}
	project := cmp.Or(body.Project, rt.o.View.Look(&req).Project)
	writeJSON(w, http.StatusOK, rt.o.Judge.AssessRequest(req, project, true))
}

// postPreview says what a rule would have done, without saving it. It is open to every process of
// the user: they can read the database as well.
func (rt ruleRoutes) postPreview(w http.ResponseWriter, r *http.Request) {
	var body ruleBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	p, err := rt.o.Rules.Preview(r.Context(), body.rule())
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, p)
}

// getGrants lists the grants that late answers left behind and that no call has used yet.
func (rt ruleRoutes) getGrants(w http.ResponseWriter, r *http.Request) {
	list, err := rt.o.Log.Grants(r.Context())
	writeList(w, list, err)
}

// deleteGrant takes back a grant that was not used: anybody may, it only refuses.
func (rt ruleRoutes) deleteGrant(w http.ResponseWriter, r *http.Request) {
	by, err := rt.callerOf(r)
	if err == nil {
		err = rt.o.Calls.RevokeGrant(r.Context(), r.PathValue("id"), by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": r.PathValue("id")})
}

// getStats counts calls: of ?session_id, since ?since (RFC 3339).
func (rt ruleRoutes) getStats(w http.ResponseWriter, r *http.Request) {
	var since time.Time
	if v := r.URL.Query().Get("since"); v != "" {
		t, err := time.Parse(time.RFC3339, v)
		if err != nil {
			fail(w, fmt.Errorf("%w: since must be a time such as 2026-01-31T00:00:00Z", broker.ErrInvalid))
			return
		}
		since = t
	}
	s, err := rt.o.Records.Stats(r.Context(), r.URL.Query().Get("session_id"), since)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		broker.Stats

		MedianMS int64 `json:"median_decide_ms"`
	}{s, s.Median.Milliseconds()})
}

// postObserve takes no default for on: a body without it must not switch anything. The error for
// a missing member comes after the caller was looked into, so that a useless token is noted in
// any case.
func (rt ruleRoutes) postObserve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		On        *bool  `json:"on"`
		SessionID string `json:"session_id"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := rt.callerOf(r)
	switch {
	case err != nil:
	case body.On == nil:
		err = fmt.Errorf("%w: on is missing; send true or false", broker.ErrInvalid)
	default:
		err = rt.o.Sessions.Observe(r.Context(), body.SessionID, *body.On, by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"on": *body.On, "session_id": body.SessionID})
}
