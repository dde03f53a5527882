package transcript

// scroll moves by rows; the selection stays on the screen. atEnd says that nothing
// comes after what is read. Scrolling down to the very end follows it from then on.
func (l *entries) scroll(by int, atEnd bool) {
	if len(l.items) == 0 {
		return
	}
	l.follow = false
	l.offset += by
	for l.offset < 0 && l.top > 0 {
		l.top--
		l.offset += l.tall(l.top)
	}
	l.offset = max(0, l.offset)
	for l.top < len(l.items)-1 && l.offset >= l.tall(l.top) {
		l.offset -= l.tall(l.top)
		l.top++
	}
	if l.below(l.height) <= l.height {
		l.endAt(len(l.items) - 1)
		l.follow = by > 0 && atEnd
	}
	first, last := l.onScreen()
	if at := l.byKey[l.at]; at < first || at > last {
		at = first
		if by < 0 {
			at = last
		}
		l.at = l.items[at].Key
	}
}

// down goes to the entry behind at, after the last row of at was on the screen:
// nothing is skipped that was not shown.
func (l *entries) down(at int, atEnd bool) {
	rows := -l.offset
	for i := l.top; i <= at; i++ {
		rows += l.tall(i)
	}
	if rows > l.height {
		l.scroll(1, atEnd)
		return
	}
	if at+1 < len(l.items) {
		l.at, l.reveal = l.items[at+1].Key, true
	}
	l.follow = atEnd && at+2 >= len(l.items) && l.below(l.height) <= l.height
}

// up goes to the entry before at, after the first row of at was on the screen.
func (l *entries) up(at int, atEnd bool) {
	l.follow = false
	if at == l.top && l.offset > 0 || at < l.top {
		l.scroll(-1, atEnd)
		return
	}
	if at > 0 {
		l.at, l.reveal = l.items[at-1].Key, true
	}
}

// toTop goes to the first row of what is read; atStart says that nothing comes before
// it.
func (l *entries) toTop(atStart bool) {
	l.follow = false
	if atStart && len(l.items) > 0 {
		l.at, l.reveal = l.items[0].Key, true
	}
	l.top, l.offset = 0, 0
}

// toggle unfolds an entry, or folds it. Unfolding one stops following the end, or its
// rows would run away above.
func (l *entries) toggle(it *item) {
	it.open, it.rows = !it.open, nil
	l.follow, l.reveal = l.follow && !it.open, true
}

// toggleAll unfolds all entries, or folds them. Entries that come later follow the
// same wish.
func (l *entries) toggleAll() {
	l.all = !l.all
	for _, it := range l.items {
		it.open, it.rows = l.all, nil
	}
	l.offset, l.reveal = 0, true
}

// click selects the entry that row y of the screen belongs to.
func (l *entries) click(y int) {
	y += l.offset
	for i := l.top; i < len(l.items); i++ {
		if y -= l.tall(i); y < 0 {
			// A click is about one entry, so the screen no longer runs on to the end.
			l.at, l.follow = l.items[i].Key, false
			return
		}
	}
}
