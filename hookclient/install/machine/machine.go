// Package machine looks at the machine that aoctl is to be installed on, and changes
// nothing: where the user's folder is (Home, InHome), which programs there are (FindProgram,
// Executable, SameFile) and of which version (Version, CompareVersions), and what is in a file
// (ReadBounded).
//
// What it finds is foreign. A file may be a pipe, a device or huge; a program may print without
// end or never stop. So every look is bounded, in bytes and in time, and a text that goes into a
// report is shortened first (Shorten). An error says what is the matter in words for a person.
//
// Package install looks through here before it writes, and install/check for doctor. Nothing here
// is remembered between two looks.
package machine
