package install

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the plugin
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// opencodeWatched are the events that the console is only told of.
var opencodeWatched = []string{
	"tool.execute.after", "chat.message", "session.created", "session.idle", "session.error", "session.deleted",
}

func init() { installers["opencode"] = opencodeAgent }

// opencodeAgent: opencode has no hooks that are command lines. What is installed is a file
// of JavaScript that opencode loads and that starts the hook client.
// Source: runs of opencode 1.18.33.
func opencodeAgent() agent {
	return agent{
		layout: layout{agent: "opencode"},
		gate:   own("tool.execute.before"), watched: opencodeWatched,
		notes: func(Options, *settingsFile, []byte) []string { return nil },
		plugin: &plugin{
			grace: 5 * time.Second,
			text:  opencodePlugin,
		},
	}
}

// The settings of one installation are put into it as JSON, which JavaScript reads as it is.
//
//go:embed opencode_plugin.js
var opencodePlugin string

// plugin is a program of ours that an agent loads.
//
// Shape: a first line with a mark and the digest of all that follows, then the text with
// the settings of the installation in place of pluginSlot, as one line of JSON.
type plugin struct {
	text  string
	grace time.Duration // how long it waits for a client whose own time is over
}

// pluginConfig is what is pinned in a plugin.
type pluginConfig struct {
	Gate       []string `json:"gate"`       // the client that decides: program and arguments
	Watch      []string `json:"watch"`      // the client that tells
	Limit      int64    `json:"limit"`      // for the first, milliseconds
	WatchLimit int64    `json:"watchLimit"` // for the second
}

const (
	pluginMark = "// aoctl:plugin sha256:"
	pluginSlot = "__AOCTL_CONFIG__"
	pluginLine = "const CONFIG = "
)

// write is the plugin's text for o, in place of data. A file that somebody else wrote under the
// same name is never overwritten.
func (p *plugin) write(data []byte, o Options) ([]byte, error) {
	if len(data) > 0 && !p.ours(data) {
		return nil, &jsonc.SyntaxError{
			Line: 1, Col: 1, Problem: "aoctl did not write this plugin",
			Cure: "move it elsewhere, then run this again; nothing was changed",
		}
	}
	config, err := json.Marshal(pluginConfig{
		Gate: o.Program.List(o.Agent, o.Timeout), Limit: milliseconds(o.Program.Longest(o.Timeout) + p.grace),
		Watch: o.Program.Once().List(o.Agent, watchClient), WatchLimit: milliseconds(watchClient + time.Second),
	})
	if err != nil {
		return nil, err
	}
	// encoding/json escapes what could end a line or a script, so the text stays one line of
	// JavaScript.
	body := strings.Replace(p.text, pluginSlot, string(config), 1)
	return []byte(pluginMark + digest([]byte(body)) + "\n" + body), nil
}

// digest is what the mark holds, in hex.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ours reports whether aoctl wrote the file, whatever became of it since.
func (p *plugin) ours(data []byte) bool { return bytes.HasPrefix(data, []byte(pluginMark)) }

// intact reports whether the file is as aoctl wrote it, this version or another. A plugin that
// was changed by hand is still taken for ours, but a backup of it is kept.
func (p *plugin) intact(data []byte) bool {
	line, body, ok := bytes.Cut(data, []byte("\n"))
	return ok && p.ours(data) && string(line) == pluginMark+digest(body)
}

// config is what is pinned in data; false when that cannot be read.
func (p *plugin) config(data []byte) (c pluginConfig, ok bool) {
	if !p.ours(data) {
		return c, false
	}
	for line := range bytes.Lines(data) {
		if text, found := bytes.CutPrefix(line, []byte(pluginLine)); found {
			return c, json.Unmarshal(text, &c) == nil && len(c.Gate) > 0
		}
	}
	return c, false
}

// programs are what the plugin runs.
func (p *plugin) programs(data []byte) []string {
	if c, ok := p.config(data); ok {
		return []string{c.Gate[0]}
	}
	return nil
}

// Plugin is what is pinned in a plugin of aoctl's for opencode, as it stands in a file.
type Plugin struct {
	Gate  []string      // the client that decides: program and arguments
	Limit time.Duration // for that
	Sound bool          // the file is as an aoctl wrote it, this version or another
}

// ReadPlugin reads one. It is false for a file that aoctl did not write. Sound is false for a
// plugin that somebody has changed: what it does then, nobody here knows.
func ReadPlugin(data []byte) (Plugin, bool) {
	p := opencodeAgent().plugin
	c, ok := p.config(data)
	return Plugin{c.Gate, time.Duration(c.Limit) * time.Millisecond, ok && p.intact(data)}, p.ours(data)
}

// WritePlugin is the text of a plugin for o, in the place of data.
func WritePlugin(data []byte, o Options) ([]byte, error) {
	return opencodeAgent().plugin.write(data, o)
}
