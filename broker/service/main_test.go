package service_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/aoctl/aoctl/broker/brokertest"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == forwarder {
		os.Exit(forward(os.Args[1], os.Args[2]))
	}
	brokertest.AtOnce(16)
	debug.SetGCPercent(400) // brokers are small and short, and there are many
	os.Exit(m.Run())
}

// forwarder is what this program is called when it stands for one that passes connections on.
const forwarder = "ssh"

// forward sends a text to a socket and prints the first line of the answer.
func forward(socket, text string) int {
	conn, err := net.Dial("unix", socket)
	if err == nil {
		_, err = fmt.Fprint(conn, text)
	}
	line := ""
	if err == nil {
		line, err = bufio.NewReader(conn).ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(line)
	return 0
}
