package hookclient

// question is what a conversation asks: where it is posted, and what its answer must be. opens
// and usable are called with answers whose origin was checked, and with nothing else.
type question struct {
	path   string                 // where it is posted
	body   []byte                 // nil: a GET
	poll   func(id string) string // where its answer is asked for when the console says wait
	opens  func(id string) error  // set when the post only opens the request; checks its id
	usable func(response) error   // takes a final answer, or says why it is none
}

// hookQuestion puts a hook payload of agent before the console.
func hookQuestion(agent string, payload []byte, usable func(response) error) question {
	path := "/hooks/" + agent
	return question{path: path, body: payload, poll: func(id string) string { return path + "/" + id }, usable: usable}
}
