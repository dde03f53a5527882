// Package machine looks at the machine that aoctl is to be installed on, and changes
// nothing: where the user's folder is, which agents there are and of which version, what is
// in a file that somebody else may have put there.
//
// What it finds is foreign. A file may be a pipe, a device or huge; a program may not end.
// So every look is bounded, in bytes and in time, and a text that goes into a report is
// shortened first. Installing and checking both look through here.
package machine
