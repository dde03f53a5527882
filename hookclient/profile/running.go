package profile

import "strings"

// Restart says what becomes of sessions of p that run while its hooks are written. The
// installer and the console say it in these words.
func (p Profile) Restart() string {
	if p.Settings.Rereads {
		return "Running sessions of " + p.Title + " use the hooks within seconds."
	}
	return "Restart running sessions of " + p.Title + ": they read their hooks when they start."
}

// RestartAny is Restart for somebody who has not said which agent is meant.
func RestartAny() string {
	var titles []string
	for _, p := range All() {
		if p.Settings.Rereads {
			titles = append(titles, p.Title)
		}
	}
	return "Running sessions of " + strings.Join(titles, " and ") + " use new hooks within seconds; restart those of other agents."
}
