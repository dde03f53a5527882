//go:build !linux && !darwin

package proctree

func machine() system { return nil }
