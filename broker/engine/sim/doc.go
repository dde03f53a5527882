// Package sim tries the engine in worlds that are drawn: virtual time, a disk that fails, says
// that it failed after it wrote, and loses what was not synced when the power goes; agents that
// repeat themselves, change their call, hang up, are paused past their deadline and die; several
// operators who press keys on what they saw a while ago, some of them at consoles in other processes
// that are told late and are killed; stops, freezes, rules that change.
//
// A world is played from a list of moves. After every round the promises are checked:
//
//   - nothing is told to run that no operator, rule or grant allowed, for exactly that call;
//   - nothing that was acknowledged is lost or changed, whatever crashed in between;
//   - a call ends once, and what its asker was told does not turn from no to yes;
//   - nobody waits after the deadline;
//   - nothing is allowed under a stop or a freeze that was acknowledged;
//   - an answer goes to its own question only;
//   - a call is decided by one operator, and by nobody who did not press the key;
//   - a screen that took in what it was told shows what there is;
//   - what the broker remembers is what the disk has, and the refusals that it owes it.
//
// The same moves make the same world, so a failing list is made shorter, move by move, until
// every one that is left is needed; it then reads as a story.
//
// How a world goes: draw makes moves of a seed (world.go). Each move is made by world.do, which
// queues inputs for the engine or changes what is around it; the move "round" lets the loop take
// what is queued, as one transaction. An asker is a hook client as a small state machine
// (asker.go), the disk is a store whose faults are drawn (disk.go), and the oracle writes down
// what was promised to whom and compares it after every round (check.go). In half of the worlds
// consoles come and go, with a line on which orders are under way (console.go). At the end all agents
// are let run and all calls must end (play.go).
//
// A fleet is several worlds (fleet.go): machines with a link over a disk that fails (machine.go), the
// servers' streams and lines that lose, double and bring things late (streams.go), and people at consoles elsewhere,
// whose orders are under way for a while (person.go). Machines are cut off, suspended and killed, their
// clocks are ten minutes off, rosters come late, and whoever carries an order may keep it and hand it
// over again, or to another machine. The link and the consoles are the real ones, packages link and far,
// as are the seals and signatures. Here the promises are (orders_check.go):
//
//   - an order takes effect at most once, and only where it is signed for that machine and run, is still
//     good by the machine's clock, is of somebody whose role in the roster on record suffices, and is on
//     record itself;
//   - what a console was told to be done is in the machine's log;
//   - an order that waited takes effect, unless it must not, and then that is shown;
//   - when all has healed the stream has each event of the log once and in order, somebody can open it,
//     and each console draws what there is.
//
// Everything runs in one goroutine (what is ordered at a console is a coroutine) and asks no clock, so a run is the same every time. The engine
// under test is the real one, State and Loop; only the ends of it are drawn. The files of calls
// do not exist here: their stamp is always the same one.
//
// Nothing here compares the engine with a second one. The oracle knows promises alone, so the
// engine may be built anew and this package stays.
package sim
