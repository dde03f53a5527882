package console

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/spend"
	"github.com/aoctl/aoctl/tui"
)

// What a transcript says is compared with the limit; at the limit the screen is told, and the session is
// frozen where that is wanted.
func TestOverspentSessions(t *testing.T) {
	ctx := t.Context()
	b, err := service.New(ctx, brokertest.NewMemory(), service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	file := filepath.Join(t.TempDir(), "s.jsonl")
	says := func(tokens string) {
		line := `{"type":"assistant","message":{"id":"m` + tokens + `","role":"assistant","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":` + tokens + `,"output_tokens":0}},"requestId":"r` + tokens + `"}` + "\n"
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	says("900")
	m := spend.NewMeter(spend.Amount{Tokens: 1000}, spend.Amount{}, time.Now())
	if _, err := b.Submit(ctx, broker.Question{Request: broker.Request{SessionID: "s1", Agent: "claude", ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), CWD: "/p", Key: "1"}, Session: broker.SessionHint{Transcript: file}}); err != nil {
		t.Fatal(err)
	}
	a := &App{Broker: b, log: slog.New(slog.DiscardHandler), notices: make(chan tui.Notice, 1)}
	if alerts := a.overspent(ctx, m); len(alerts) != 0 {
		t.Errorf("told of %+v before the limit", alerts)
	}
	says("200")
	alerts := a.overspent(ctx, m)
	if len(alerts) != 1 || alerts[0].SessionID != "s1" {
		t.Fatalf("told of %+v", alerts)
	}
	a.alert(ctx, alerts[0], true)
	if n := <-a.notices; n.SessionID != "s1" || !strings.HasSuffix(n.Text, "; frozen") {
		t.Errorf("the screen is told %+v", n)
	}
	if s, err := b.Session(ctx, "s1"); err != nil || !s.Frozen {
		t.Errorf("the session is not frozen: %v", err)
	}
}

func TestSpendFlags(t *testing.T) {
	for o, wrong := range map[spendOptions]string{
		{session: "$5", day: "20M", freeze: true}: "",
		{session: "5$"}: "--spend-session", {day: "x"}: "--spend-day", {freeze: true}: "there is none",
	} {
		err := o.read()
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
