package service_test

import (
	"os"
	"testing"

	"github.com/aoctl/aoctl/broker/brokertest"
)

func TestMain(m *testing.M) {
	brokertest.AtOnce(16)
	os.Exit(m.Run())
}
