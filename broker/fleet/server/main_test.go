package server_test

import (
	"os"
	"testing"

	"github.com/aoctl/aoctl/broker/brokertest"
)

// Its tests wait for servers more than they compute.
func TestMain(m *testing.M) {
	brokertest.AtOnce(8)
	os.Exit(m.Run())
}
