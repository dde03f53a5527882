package risk

import (
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
)

// A variable is harmless by its name and its value, whether it is set for one command or for all.
func TestVariablesThatDoNothing(t *testing.T) {
	for want, all := range map[string]string{
		"look":    "PORT=4100 ls; DEBUG=1 ls; export DEBUG=app,x && ls; CGO_ENABLED=0 GOOS=linux ls; NODE_ENV=test ls; NODE_OPTIONS=--max-old-space-size=4096 ls; env PORT=1 ls; LOGLEVEL=debug ls; LC_PAPER=C ls; VITE_API_URL=http://localhost:1/x ls; export REACT_APP_X=1 && ls; D=src && ls $D; dir=src && wc -l $dir/a.go; x=1 y=2 && ls; DIR=src && ls \"$DIR\"",
		"check":   "PYTHONPATH=src; PYTHONPATH=.; DJANGO_SETTINGS_MODULE=shop.settings.test; export PYTHONPATH=src",
		"unknown": "PYTHONPATH=src:tests; PYTHONPATH=/x; PYTHONPATH=..; PYTHONPATH=src:/x; PYTHONPATH=src:; PYTHONPATH=link; export PYTHONPATH+=src; PYTHONPATH='~/x'",
	} {
		for _, line := range lines(all) {
			l, got := shell.Parse(line), effects.Set(0)
			for _, set := range Assess(Call{Tool: "Bash", Line: &l}, place()).Parts {
				got |= set
			}
			if got.String() != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
	}
	for _, line := range lines("PORT=x ls; FOO=bar ls; GOFLAGS=-toolexec=x ls; GOFLAGS=-mod=mod ls; GOFLAGS=-count=1 ls; BROWSER=x ls; VITE=x ls; VITE_API+=x ls; VITE_A=$x ls; DJANGO_SETTINGS_MODULE=../x ls; LOCPATH=x ls; LOGLEVEL=/x ls; NODE_OPTIONS='--require ./x' ls; GOPROXY=x ls; GOTOOLCHAIN=go1.99 ls; PYTHONWARNINGS=ignore::x.Y ls; CC=x ls; PYTHONHOME=src ls; PYTHONSTARTUP=src/x ls; RUSTFLAGS=-v ls; PATH=src ls; GOFLAGS+=-v ls; DEBUG='$(x)' ls; D=bar ls; dir=bar ls; export dir=bar; FOO=bar ls; _=x ls; path=x ls; http_proxy=x; npm_execpath=x; npm_package_x=x; x[1]=2; x=$(date); IFS=,") {
		l, got := shell.Parse(line), effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, place()).Parts {
			got |= set
		}
		if !got.Has(effects.Unknown) {
			t.Errorf("%s: %s", line, got)
		}
	}
}
