package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// tscOps: another project says where its own files go.
func tscOps(c *call) {
	farOptions(c)
	if anyBegins(c.words, "@") {
		c.exactf("tsc reads options from a file")
	}
}

// ownFormats are formatters that come with eslint, ownReporters reporters that come with
// vitest. Others are loaded.
var (
	ownFormats   = wordset.New("stylish html json json-with-metadata")
	ownReporters = wordset.New("default basic verbose dot junit json tap tap-flat tree hanging-process github-actions")
)

// eslintOps: a formatter of another name is a module of the project or a path.
func eslintOps(c *call) {
	if anyBut(c.values("-f", "--format"), ownFormats) {
		c.exactf("eslint -f loads a formatter")
	}
	readTrees(c)
}

// vitestOps: like eslint's formatters, reporters may be modules.
func vitestOps(c *call) {
	if anyBut(c.values("--reporter"), ownReporters) {
		c.exactf("vitest --reporter loads a reporter")
	}
	farTestOps(c)
}

// isSwitch reports whether a word gives a variable a number, which names no program.
func isSwitch(w Word) bool {
	name, value, _ := strings.Cut(w.Text, "=")
	return w.Known && identifier().MatchString(name) && value != "" && strings.Trim(value, "0123456789") == ""
}

// justOps: a variable may decide what runs, as with make.
func justOps(c *call) {
	for _, w := range c.rest {
		name, _, ok := strings.Cut(w.Text, "=")
		if !ok || !identifier().MatchString(name) {
			break
		}
		c.exactf("just is given a variable, which may decide what runs")
	}
	c.farOperands()
}
