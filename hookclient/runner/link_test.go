package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient"
)

// scripted is a console in memory.
type scripted struct {
	mu    sync.Mutex
	down  error // what every call gets
	once  error // what the next report gets
	paths []string
	kinds []string
}

func (s *scripted) call(_ context.Context, path string, body []byte, _ time.Duration) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return nil, s.down
	}
	s.paths = append(s.paths, path)
	if strings.HasSuffix(path, "/reports") {
		if err := s.once; err != nil {
			s.once = nil
			return nil, err
		}
		var r wire.RunReport
		if err := json.Unmarshal(body, &r); err != nil {
			return nil, err
		}
		s.kinds = append(s.kinds, r.Kind+r.Text)
	}
	return []byte(`{}`), nil
}

func (s *scripted) set(down, once error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.once = down, once
}

func newTestLink(s *scripted) *link {
	return newLink(s.call, wire.RunStart{SessionID: "s", Prompt: "p"}, slog.New(slog.DiscardHandler))
}

func TestReportsWaitForTheConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{down: hookclient.ErrNoConsole}
		l := newTestLink(s)
		go l.pump(t.Context())
		for i := range 5 {
			l.tell(wire.RunReport{Kind: wire.ReportStep, Text: fmt.Sprint(i)})
		}
		time.Sleep(time.Hour)
		if l.flush(t.Context(), time.Second) {
			t.Error("flushed without a console")
		}
		s.set(nil, nil)
		if !l.flush(t.Context(), time.Minute) {
			t.Fatal("not told when it came back")
		}
		if got := strings.Join(s.kinds, " "); got != "step0 step1 step2 step3 step4" || s.paths[0] != "/runs" {
			t.Errorf("told %s over %v", got, s.paths)
		}
	})
}

func TestARefusedReport(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		kinds string
		paths string
	}{
		"too fast":      {&hookclient.StatusError{Status: 429}, "stepa stepb", "/runs/s/reports /runs/s/reports /runs/s/reports"},
		"not recorded":  {&hookclient.StatusError{Status: 500}, "stepa stepb", "/runs/s/reports /runs/s/reports /runs/s/reports"},
		"invalid":       {&hookclient.StatusError{Status: 400}, "stepb", "/runs/s/reports /runs/s/reports"},
		"unknown there": {&hookclient.StatusError{Status: 409, Code: "not_the_runner"}, "stepa stepb", "/runs/s/reports /runs /runs/s/reports /runs/s/reports"},
		"lost":          {errors.New("lost"), "stepa stepb", "/runs/s/reports /runs /runs/s/reports /runs/s/reports"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{once: tt.err}
			l := newTestLink(s)
			go l.pump(t.Context())
			l.tell(wire.RunReport{Kind: wire.ReportStep, Text: "a"})
			l.tell(wire.RunReport{Kind: wire.ReportStep, Text: "b"})
			l.flush(t.Context(), time.Minute)
			if kinds, paths := strings.Join(s.kinds, " "), strings.Join(s.paths, " "); kinds != tt.kinds || paths != tt.paths {
				t.Errorf("%s: told %s over %s", name, kinds, paths)
			}
		})
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{down: hookclient.ErrNoConsole}
		l := newTestLink(s)
		l.tell(wire.RunReport{Kind: wire.ReportAgent, PID: 7})
		for i := range 3 * maxReports {
			l.tell(wire.RunReport{Kind: wire.ReportSaid, Text: strings.Repeat("x", 1000)})
			if i%100 == 0 {
				l.tell(wire.RunReport{Kind: wire.ReportDone, OrderID: fmt.Sprint(i)})
				l.tell(wire.RunReport{Kind: wire.ReportIdle, Turns: i})
			}
		}
		l.tell(wire.RunReport{Kind: wire.ReportEnded})
		if len(l.queue) > maxReports || l.bytes > maxReportBytes {
			t.Errorf("%d reports of %d bytes wait", len(l.queue), l.bytes)
		}
		s.set(nil, nil)
		go l.pump(t.Context())
		l.flush(t.Context(), time.Hour)
		count := map[string]int{}
		for _, k := range s.kinds {
			count[strings.TrimRight(k, "x")]++
		}
		if count["agent"] != 1 || count["done"] != 3*maxReports/100 || count["idle"] != 3*maxReports/100 || count["ended"] != 1 {
			t.Errorf("told %v", count)
		}
		if last := s.kinds[len(s.kinds)-1]; !strings.Contains(last, "reports of what was said and seen were dropped") {
			t.Errorf("nobody hears that some were dropped: %s", last)
		}
	})
}

func TestOrdersComeBackAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &scripted{down: hookclient.ErrNoConsole}
		l := newTestLink(s)
		take := make(chan []wire.RunOrder)
		go l.orders(ctx, take)
		time.Sleep(time.Minute)
		s.set(nil, nil)
		<-take
		if s.paths[0] != "/runs" || !strings.Contains(s.paths[len(s.paths)-1], "/orders?timeout=25") {
			t.Errorf("asked %v", s.paths)
		}
		cancel()
	})
}
