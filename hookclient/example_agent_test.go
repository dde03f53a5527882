package hookclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/hookclient"
)

// model stands for a language model: it hears what came of its last call and says what
// it wants next, until it is done.
type model struct{ wants []hookclient.ToolCall }

func (m *model) next(heard string) (hookclient.ToolCall, bool) {
	if heard != "" {
		fmt.Println("   model hears:", heard)
	}
	if len(m.wants) == 0 {
		return hookclient.ToolCall{}, false
	}
	call := m.wants[0]
	m.wants = m.wants[1:]
	return call, true
}

func wants(id, tool, input string) hookclient.ToolCall {
	return hookclient.ToolCall{ID: id, Tool: tool, Input: json.RawMessage(input)}
}

// tools are what the agent can do. A tool sees nothing but the input that was allowed.
var tools = map[string]func(ctx context.Context, input json.RawMessage) (string, error){
	"read_note": func(context.Context, json.RawMessage) (string, error) {
		return "The release is 1.4.2.", nil
	},
	"send_mail": func(_ context.Context, input json.RawMessage) (string, error) {
		var mail struct{ To, Text string }
		if err := json.Unmarshal(input, &mail); err != nil {
			return "", err
		}
		fmt.Printf("   … a mail goes to %s: %s\n", mail.To, mail.Text)
		return "sent", nil
	},
}

// loop is the whole agent: it lets the model go on until it is done or the operator has
// stopped it. Every call goes through Do, so none runs that nobody allowed.
func loop(ctx context.Context, s *hookclient.Session, m *model) error {
	heard := ""
	for {
		call, more := m.next(heard)
		if !more || s.Stopped() {
			return s.Close("done")
		}
		fmt.Println(call.Tool, string(call.Input))
		result, err := s.Do(ctx, call, tools[call.Tool])
		switch {
		case s.Stopped():
			fmt.Println("   stopped by the operator")
			return s.Close("stopped")
		case errors.Is(err, hookclient.ErrDenied):
			heard = err.Error() // the model is told why, and may do something else
		case err != nil:
			_ = s.Close("failed")
			return err // nobody could be asked, or the tool failed: not for the model to solve
		default:
			heard = result
		}
	}
}

// An agent of one's own: reading is allowed by its own policy, mail asks a person, and
// nobody drops a table. The person at the console allows one mail with another text,
// refuses the next, and then stops the agent.
func Example_agent() {
	console := openConsole() // in earnest: a person starts aoctl
	defer console.close()
	go console.person(allowInstead(`{"to":"team","text":"1.4.2 is out."}`), deny("not to customers"), stop)

	ctx := context.Background()
	session, err := hookclient.Agent{
		Program: "clerk", SessionID: "thread-42", Name: "announce the release", CWD: "/srv/shop",
		Socket: console.socket, // leave it out to find the usual console
		Policy: hookclient.ByTool(map[string]hookclient.Ruling{
			"read_note":  hookclient.Allow(),
			"drop_table": hookclient.Deny("Tables are never dropped from here."),
		}), // every other tool asks
	}.Open(ctx)
	if err != nil {
		fmt.Println("not starting:", err)
		return
	}
	err = loop(ctx, session, &model{wants: []hookclient.ToolCall{
		wants("c1", "read_note", `{"note":"release"}`),
		wants("c2", "drop_table", `{"table":"orders"}`),
		wants("c3", "send_mail", `{"to":"team","text":"its out!!"}`),
		wants("c4", "send_mail", `{"to":"customers","text":"Buy 1.4.2."}`),
		wants("c5", "send_mail", `{"to":"press","text":"Buy 1.4.2."}`),
		wants("c6", "read_note", `{"note":"never read"}`),
	}})
	fmt.Println("ended:", err)
	console.tell("thread-42")

	// Output:
	// read_note {"note":"release"}
	//    model hears: The release is 1.4.2.
	// drop_table {"table":"orders"}
	//    model hears: Tables are never dropped from here.
	// send_mail {"to":"team","text":"its out!!"}
	//    … a mail goes to team: 1.4.2 is out.
	//    model hears: sent
	// send_mail {"to":"customers","text":"Buy 1.4.2."}
	//    model hears: A person denied this call in aoctl: not to customers
	// send_mail {"to":"press","text":"Buy 1.4.2."}
	//    stopped by the operator
	// ended: <nil>
	// console: announce the release of clerk is stopped
	// console: read_note ran: The release is 1.4.2.
	// console: send_mail allowed, ran: sent
	// console: send_mail denied
	// console: send_mail denied
}
