//go:build !linux && !darwin

package broker

func startOf(int) uint64   { return 0 }
func parentOf(int) int     { return 0 }
func commandOf(int) string { return "" }
