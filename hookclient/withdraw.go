package hookclient

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// withdraw tells the console that nobody wants the answer any more, so that the card
// closes at once instead of when its time is up. It takes no longer than limits.leave
// and no notice of how c ended; c must not run meanwhile. An error means that the card may
// still be there; whatever is answered to it then, nobody hears it.
//
// It names the request by its id where that is known, and otherwise, as before a hook was
// told to wait, by the question itself.
//
// A card that stays costs a person a look and nothing else, so failures here are not told.
func (c *conversation) withdraw(reason string) error {
	if !c.sent {
		return nil // no console has the question
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limits.leave)
	defer cancel()
	w, err := c.withdrawal(reason)
	if err != nil {
		return err
	}
	for {
		err = w.once(ctx)
		var gone *lostError
		var refused *refusalError
		switch {
		case err == nil:
			return nil
		// The question may be on its way still: two connections keep no order.
		case errors.As(err, &refused) && refused.code == notFound, errors.As(err, &gone), errors.Is(err, errBusy):
		default:
			return err
		}
		if !w.pause(ctx, c.limits.retry) || !time.Now().Before(w.deadline.until) {
			return err
		}
	}
}

// withdrawal is the conversation in which c's question is taken back. Its correlation is
// c's own, because a hook's question may have no other name.
func (c *conversation) withdrawal(reason string) (*conversation, error) {
	w := &conversation{
		console: c.console, caller: c.caller, limits: c.limits,
		question: question{
			path: c.question.path + "/cancel?reason=" + string(queryEscape(nil, reason)), body: c.question.body,
			poll:   func(id string) string { return "/approval-requests/" + id },
			usable: func(r response) error { _, err := checkAnswer(r); return err },
		},
		deadline: within(time.Now(), c.limits.leave, 0),
	}
	if c.id == "" {
		return w, nil
	}
	body, err := json.Marshal(map[string]string{"reason": reason})
	if err != nil {
		return nil, &refusalError{kind: ErrInput, text: "the reason cannot be written as JSON: " + err.Error(), cause: err}
	}
	w.question.path, w.question.body = "/approval-requests/"+c.id+"/cancel", body
	return w, nil
}
