package service_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

const twoQuestions = `{"questions":[` +
	`{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"Postgres"},{"label":"SQLite"}]},` +
	`{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"API"},{"label":"UI"}]}]}`

// askUser puts a question of the agent's before the broker, as session s's call of that id.
func askUser(t *testing.T, c *client, session, agent, tool, input string) broker.Request {
	t.Helper()
	q := broker.Question{Bound: true, Request: broker.Request{
		Key: session + tool + input, SessionID: session, Agent: agent, Event: "PreToolUse", ToolName: tool, ToolInput: json.RawMessage(input), CWD: "/src",
	}}
	return submit(t, c.b, q)
}

// token is the header of an operator's request.
func (c *client) token() []string {
	c.t.Helper()
	token, err := c.b.MintToken(c.t.Context(), broker.OperatorToken, "test", operator)
	must(c.t, err)
	return []string{"Authorization", "Bearer " + token}
}

func TestAnswerRoute(t *testing.T) {
	c := serve(t, service.Options{})
	token := c.token()
	r := askUser(t, c, "s", "claude", "AskUserQuestion", twoQuestions)
	const answers = `{"answers":{"Which database?":"SQLite","Parts":["UI","the docs"]}}`

	// Only the operator answers, and who tries without is on record.
	if status, m := c.do("POST", "/sessions/s/answer", answers); status != 403 || code(m) != "operator_required" {
		t.Errorf("without a token: %d %v", status, m)
	}
	if status, m := c.do("POST", "/sessions/s/answer", answers, "Authorization", "Bearer aoctl_op_guess"); status != 401 {
		t.Errorf("with a guessed token: %d %v", status, m)
	}
	events, err := c.b.Events(t.Context())
	must(t, err)
	if log := fmt.Sprint(events); strings.Count(log, broker.EventAccessRefused) != 2 {
		t.Errorf("the log has %d refused attempts, want 2", strings.Count(log, broker.EventAccessRefused))
	}
	for body, want := range map[string]string{
		`{}`: "bad_request",
		`{"answers":{"DB":"SQLite","Parts":"UI"},"decline":"no"}`: "bad_request",
		`{"answers":{"DB":7,"Parts":"UI"}}`:                       "bad_request",
		`{"answers":{"DB":null,"Parts":"UI"}}`:                    "bad_answer",
		`{"answers":{"DB":[null],"Parts":"UI"}}`:                  "bad_request",
		`{"answers":{"DB":"SQLite"}}`:                             "bad_answer",
		`{"answers":{"DB":["SQLite","Postgres"],"Parts":"UI"}}`:   "bad_answer",
		`{"answers":{"DB":"SQLite","Parts":["Ui","Api"]}}`:        "bad_answer",
		`{"answers":{"Nothing":"SQLite"}}`:                        "bad_answer",
		`{"request_id":"none","answers":{"DB":"SQLite"}}`:         "not_found",
	} {
		if _, m := c.do("POST", "/sessions/s/answer", body, token...); code(m) != want {
			t.Errorf("%s: %v, want %s", body, m, want)
		}
	}
	if got, _ := c.b.Request(t.Context(), r.ID); got.State != broker.Pending {
		t.Fatalf("the question is %s before it was answered", got.State)
	}
	if status, m := c.do("POST", "/sessions/s/answer", answers, token...); status != 200 || m["status"] != "allowed" {
		t.Fatalf("answered: %d %v", status, m)
	}
	got, err := c.b.Request(t.Context(), r.ID)
	must(t, err)
	want := strings.TrimSuffix(twoQuestions, "}") + `,"answers":{"Which database?":"SQLite","Which parts?":"UI, the docs"}}`
	if string(got.Outcome.UpdatedInput) != want || got.Outcome.By.Kind != broker.ByOperator {
		t.Errorf("the agent reads %s from %+v\nwant %s", got.Outcome.UpdatedInput, got.Outcome.By, want)
	}
	if status, m := c.do("POST", "/sessions/s/answer", answers, token...); status != 409 || code(m) != "no_question" {
		t.Errorf("answered again: %d %v", status, m)
	}
	if status, m := c.do("POST", "/sessions/s/answer", `{"request_id":"`+r.ID+`",`+answers[1:], token...); status != 409 || code(m) != "already_decided" || m["outcome"] == nil {
		t.Errorf("answered again by its id: %d %v", status, m)
	}
}

func TestAnswerNeedsOneQuestion(t *testing.T) {
	c := serve(t, service.Options{})
	token := c.token()
	const answers = `{"answers":{"DB":"SQLite","Parts":"UI"}}`
	if status, m := c.do("POST", "/sessions/none/answer", answers, token...); status != 404 {
		t.Errorf("no session: %d %v", status, m)
	}
	other := askUser(t, c, "s", "claude", "Bash", `{"command":"make"}`)
	if _, m := c.do("POST", "/sessions/s/answer", answers, token...); code(m) != "no_question" {
		t.Errorf("only a command waits: %v", m)
	}
	if _, m := c.do("POST", "/sessions/s/answer", `{"request_id":"`+other.ID+`",`+answers[1:], token...); code(m) != "no_question" {
		t.Errorf("a command by its id: %v", m)
	}
	first := askUser(t, c, "s", "claude", "AskUserQuestion", twoQuestions)
	second := askUser(t, c, "s", "claude", "AskUserQuestion", strings.ReplaceAll(twoQuestions, "database", "cache"))
	if status, m := c.do("POST", "/sessions/s/answer", answers, token...); status != 409 || code(m) != "several_questions" || !strings.Contains(fmt.Sprint(m), second.ID) {
		t.Errorf("two wait: %d %v", status, m)
	}
	foreign := askUser(t, c, "s2", "claude", "AskUserQuestion", twoQuestions)
	if _, m := c.do("POST", "/sessions/s/answer", `{"request_id":"`+foreign.ID+`",`+answers[1:], token...); code(m) != "not_found" {
		t.Errorf("another session's: %v", m)
	}
	if status, m := c.do("POST", "/sessions/s/answer", `{"request_id":"`+second.ID+`",`+answers[1:], token...); status != 200 {
		t.Errorf("by its id: %d %v", status, m)
	}
	if got, _ := c.b.Request(t.Context(), first.ID); got.State != broker.Pending {
		t.Errorf("the other one is %s", got.State)
	}
	odd := askUser(t, c, "s3", "claude", "AskUserQuestion", strings.ReplaceAll(twoQuestions, `"header"`, `"run":1,"header"`))
	if _, m := c.do("POST", "/sessions/s3/answer", answers, token...); code(m) != "no_form" {
		t.Errorf("a form that cannot be shown: %v", m)
	}
	_, _ = odd, other
}

// Declining is refusing: it takes no token.
func TestAnswerDeclined(t *testing.T) {
	c := serve(t, service.Options{})
	for reason, want := range map[string]string{"ask me tomorrow": "The user declined to answer: ask me tomorrow", "": "The user declined to answer and gave no reason."} {
		askUser(t, c, "s", "claude", "AskUserQuestion", strings.ReplaceAll(twoQuestions, "Which", "Which "+reason))
		raw, _ := json.Marshal(reason)
		status, m := c.do("POST", "/sessions/s/answer", `{"decline":`+string(raw)+`}`)
		if says, _ := m["reason"].(string); status != 200 || m["status"] != "denied" || !strings.HasPrefix(says, want) {
			t.Errorf("declined with %q: %d %v", reason, status, m)
		}
	}
}
