package command

import "testing"

// find and fd.
var findLines = [][2]string{
	{"find . -name '*.go'", "r*(.)"},
	{"find", "r*(.)"},
	{"find a b -type f -newer x -print", "r(x) r*(a) r*(b)"},
	{"find . -exec rm {} ;", "run[rm {} fed] d*(.) r*(.)"},
	{"find . -exec grep -l foo {} +", "run[grep -l foo {} fed] r*(.)"},
	{"find . -execdir sh -c 'rm {}' ;", "run[sh -c rm {} fed] r*(.)"},
	{"find . -ok rm {} ;", "run[rm {} fed] d*(.) r*(.)"},
	{"find . -okdir rm {} ;", "run[rm {} fed] d*(.) r*(.)"},
	{"find . -exec rm", "run[rm fed] d*(.) r*(.) unsure"},
	{"find a b -delete", "d*(a) d*(b)"},
	{"find . -fprint out", "w(out) r*(.) exact"},
	{"find . -fls out", "w(out) r*(.) exact"},
	{"find . -fprintf out %p", "w(out) r*(.) exact"},
	{"find . -fprint0 /tmp/x", "w(/tmp/x) r*(.) exact"},
	{"find . -frobnicate x", "r*(.) exact"},
	{"find -L . -maxdepth 2", "r*(.) unsure"},
	{"find *", "r*(*) unsure"},
	{"find . -name a -o -exec rm {} ; -exec cat {} +", "run[rm {} fed] run[cat {} fed] d*(.) r*(.)"},
	{"find . -newermt yesterday", "r*(.)"},
	{"find . $X", "r*(.) r*()"},
	{"fd foo", "plain"},
	{"fd foo src", "r*(src)"},
	{"fd -e go -x rm", "run[rm … fed]"},
	{"fd -x rm {} ;", "run[rm {} ; … fed]"},
	{"fd --exec-batch rm", "run[rm … fed]"},
	{"fd --exec=rm", "run[rm … fed]"},
	{"fd -Hx rm", "run[rm … fed]"},
	{"fd -X vim", "run[vim … fed]"},
	{"fdfind --frob", "exact"},
	{"find -O3 . -print", "r*(.)"},
	{"find . -O3", "r*(.)"},
	{"find . -name a -O3", "r*(.) exact"},
	{"find -D exec . -f a -name x", "r*(.) r*(a)"},
	{"find . -f", "r*(.)"},
	{"find -- a ! -name x", "r*(a)"},
	{"find ( -name x )", "r*(.)"},
	{"find , -delete", "d*(.)"},
}

func TestInspectFind(t *testing.T) { inspected(t, findLines) }
