// Command ease measures how often aoctl asks a person.
//
// It plays an ordinary day of a coding agent, in three small projects, and counts the
// calls that reach aoctl and those that wait for a person. testdata holds the days, one
// text file a project, and two lists of lines that people run.
package main
