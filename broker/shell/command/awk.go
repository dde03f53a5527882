package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/little"
)

func awkRow() spec {
	return spec{
		stop: true, mild: true,
		ok:     "-F= -v= -bcCghIkMNOPrsSt -V -L? -W= --field-separator= --assign= --characters-as-bytes --traditional --gen-pot --lint? --bignum --use-lc-numeric --non-decimal-data --optimize --no-optimize --posix --re-interval --sandbox --lint-old --version --help --csv",
		spill:  "-o? -p? -d? --pretty-print? --profile? --dump-variables?",
		load:   "-f= --file= -E= --exec=",
		exact:  "-e= --source= -D? --debug?",
		unsure: "-i= --include= -l= --load=",
		ops:    awkOps,
	}
}

func awkOps(c *call) {
	programs := c.values("-e", "--source")
	for _, w := range c.values("-W") {
		if w.Text != "version" && w.Text != "posix" && w.Text != "interactive" {
			c.exactf("awk -W can do more than the rest of the command says")
		}
	}
	files := c.rest
	if len(programs) == 0 && !c.has("-f", "--file", "-E", "--exec") && len(files) > 0 {
		programs, files = files[:1], files[1:]
	}
	for _, w := range programs {
		if why := little.Awk(w.Text); why != "" {
			c.exactf("the program of awk %s", why)
		}
	}
	for _, w := range files {
		if name, _, ok := strings.Cut(w.Text, "="); !ok || !identifier().MatchString(name) {
			c.reads(w)
		}
	}
}
