package tui

import (
	"context"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// fakeStories are the part of a console that tells what happened.
type fakeStories struct {
	storyMu    sync.Mutex
	stories    map[string]story.Story
	moments    []story.Moment         // oldest first
	parts      []story.TranscriptPart // that were asked for
	pages      int                    // how often the timeline was read
	transcript story.Transcript
	page       func(story.TranscriptPart, story.TranscriptSpan) story.Transcript // answers in its place
	writeErr   error                                                             // what Transcript answers
}

func (f *fakeStories) Story(_ context.Context, id string) (story.Story, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	return f.stories[id], nil
}

func (f *fakeStories) Timeline(_ context.Context, filter broker.EventFilter) ([]story.Moment, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	if !slices.Equal(filter.Types, []string{broker.EventUser}) { // else a session's row asks
		f.pages++
	}
	var list []story.Moment
	for _, m := range f.moments {
		typed := len(filter.Types) == 0 || slices.Contains(filter.Types, m.Event.Type)
		of := filter.SessionID == "" && !filter.Console || m.Event.SessionID == filter.SessionID
		if typed && of && m.Event.Seq > filter.After && (filter.Before == 0 || m.Event.Seq < filter.Before) {
			list = append(list, m)
		}
	}
	if filter.After == 0 {
		slices.Reverse(list)
	}
	return list[:min(len(list), filter.Limit)], nil
}

// Transcript hands out the one part that is there.
func (f *fakeStories) Transcript(_ context.Context, _ string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	f.parts = append(f.parts, part)
	if f.writeErr != nil {
		return story.Transcript{}, f.writeErr
	}
	if f.page != nil {
		return f.page(part, have), nil
	}
	t := f.transcript
	t.Part, t.AtEnd = part, true
	if part == story.LaterPart && have.To == t.Span.To && have.Last == t.Span.Last {
		return story.Transcript{Path: t.Path, NoFile: t.NoFile, Part: part, Span: have, Size: t.Size, AtEnd: true, Same: true}, nil
	}
	return t, nil
}
