package console

// dataInUse is not known here, and the limit is not enforced either: the guard's memory is
// bounded by its stack and its time.
func dataInUse() uint64 { return 0 }
