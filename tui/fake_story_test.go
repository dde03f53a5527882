package tui

import (
	"context"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// fakeStories are the part of a console that tells what happened.
type fakeStories struct {
	storyMu    sync.Mutex
	stories    map[string]service.Story
	moments    []service.Moment         // oldest first
	parts      []service.TranscriptPart // that were asked for
	pages      int                      // how often the timeline was read
	transcript service.Transcript
	page       func(service.TranscriptPart, service.TranscriptSpan) service.Transcript // answers in its place
	writeErr   error                                                                   // what Transcript answers
}

func (f *fakeStories) Story(_ context.Context, id string) (service.Story, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	return f.stories[id], nil
}

func (f *fakeStories) Timeline(_ context.Context, filter broker.EventFilter) ([]service.Moment, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	f.pages++
	var list []service.Moment
	for _, m := range f.moments {
		typed := len(filter.Types) == 0 || slices.Contains(filter.Types, m.Event.Type)
		if typed && m.Event.SessionID == filter.SessionID && m.Event.Seq > filter.After && (filter.Before == 0 || m.Event.Seq < filter.Before) {
			list = append(list, m)
		}
	}
	if filter.After == 0 {
		slices.Reverse(list)
	}
	return list[:min(len(list), filter.Limit)], nil
}

// Transcript hands out the one part that is there.
func (f *fakeStories) Transcript(_ context.Context, _ string, part service.TranscriptPart, have service.TranscriptSpan) (service.Transcript, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	f.parts = append(f.parts, part)
	if f.writeErr != nil {
		return service.Transcript{}, f.writeErr
	}
	if f.page != nil {
		return f.page(part, have), nil
	}
	t := f.transcript
	t.Part, t.AtEnd = part, true
	if part == service.LaterPart && have.To == t.Span.To && have.Last == t.Span.Last {
		return service.Transcript{Path: t.Path, NoFile: t.NoFile, Part: part, Span: have, Size: t.Size, AtEnd: true, Same: true}, nil
	}
	return t, nil
}
