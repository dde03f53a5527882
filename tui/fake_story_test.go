package tui

import (
	"context"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/broker"
)

// fakeStories are the part of a console that tells what happened.
type fakeStories struct {
	storyMu    sync.Mutex
	stories    map[string]broker.Story
	moments    []broker.Moment // oldest first
	pages      int             // how often the timeline was read
	transcript broker.Transcript
	writeErr   error // what Transcript answers
}

func (f *fakeStories) Story(_ context.Context, id string) (broker.Story, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	return f.stories[id], nil
}

func (f *fakeStories) Timeline(_ context.Context, filter broker.EventFilter) ([]broker.Moment, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	f.pages++
	var list []broker.Moment
	for _, m := range f.moments {
		if m.Event.SessionID == filter.SessionID && m.Event.Seq > filter.After && (filter.Before == 0 || m.Event.Seq < filter.Before) {
			list = append(list, m)
		}
	}
	if filter.After == 0 {
		slices.Reverse(list)
	}
	return list[:min(len(list), filter.Limit)], nil
}

func (f *fakeStories) Transcript(_ context.Context, _ string, seen broker.TranscriptMark) (broker.Transcript, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	if f.writeErr == nil && f.transcript.Mark == seen {
		return broker.Transcript{Path: f.transcript.Path, Mark: seen, Same: true}, nil
	}
	return f.transcript, f.writeErr
}
