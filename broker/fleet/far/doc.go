// Package far is a fleet as one person's console sees it.
//
// A Mirror has what one machine told: it looks who signed it, opens it, and keeps what is newest. What
// it shows is what the machine said last in its present run. Which run that is the machine says
// itself, to a question that nobody could have known before; and whether something is missing, or
// old, shows in the sum that comes with each beat. So a server can keep things back, and then the
// console says how old is what it draws; it cannot show them otherwise than they are. A Mirror has no
// clock, goroutine or network.
//
// A Broker has a mirror of each machine, and is a consoles.Broker over all of them: screens draw it as
// they draw one broker. What a person does goes as a signed order to the machine that the call or the
// session is on (order.go), and what is about all goes to all. A machine that does not answer is out
// of reach: it can be told to refuse when it is back, and nothing else. LaterError says which
// machines that is about. Ids of two machines that are the same are told apart (ids.go).
//
// Lines to the fleet's servers are somebody else's: see Line.
package far
