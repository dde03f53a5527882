package feed

// Readers is how many read now.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readers
}
