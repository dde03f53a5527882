package commands

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

const (
	cloud    = "changes what runs for others"
	destroys = "destroys what runs for others"
)

// deleteWords are verbs of cloud tools that take something away.
const deleteWords = "delete*|rm|rb|remove*|terminate*|destroy*|purge*|deregister*|detach*|disable*|stop*|revoke*|deprovision*|reset*|drop*"

// cloudRules are about machines and services elsewhere. Verbs are matched wherever the tools of
// a cloud put them, as their subcommands run into thousands.
func cloudRules() []rule {
	return []rule{
		{names: "kubectl oc", sub: "delete|drain|evict", why: destroys},
		{names: "kubectl oc", sub: "apply|create|replace|patch|edit|scale|rollout|set|cordon|uncordon|taint|certificate|label|annotate|expose|autoscale|run|cp", why: cloud},
		{names: "kubectl oc", sub: "exec|attach|debug|rsh", why: "runs on another machine"},
		{names: "helm", sub: "uninstall|delete|rollback", why: destroys},
		{names: "helm", sub: "install|upgrade", why: cloud},
		{names: "helmfile", sub: "apply|sync|destroy|delete", why: cloud},
		{names: "terraform tofu terragrunt", when: func(a cmdline.Command) bool {
			return a.Exactly("destroy", "-destroy", "taint") || a.Exactly("state") && a.Exactly("rm", "mv", "push") || a.Exactly("workspace") && a.Exactly("delete")
		}, why: destroys},
		{names: "terraform tofu terragrunt", when: word("apply", "import", "run-all", "force-unlock"), why: cloud},
		{names: "pulumi", sub: "up|update|import|refresh", why: cloud},
		{names: "pulumi", sub: "destroy|cancel", why: destroys},
		{names: "pulumi", sub: "stack rm", why: destroys},
		// Any word that begins like a verb of taking away; a false alarm costs a look.
		{names: "aws gcloud az gsutil doctl linode-cli oci ibmcloud aliyun scw hcloud eksctl bq", when: like(deleteWords), why: destroys},
		{names: "gcloud", sub: "run|app|functions deploy", why: deploys},
		{names: "gh glab", sub: "repo delete|archive|rename|transfer|edit", why: destroys},
		{names: "gh", sub: "secret|variable|ssh-key|gpg-key|deploy-key set|delete|remove|add", why: "changes keys or credentials"},
		{names: "gh", sub: "issue|run|label|project|cache|gist|codespace|ruleset|release delete*", why: destroys},
		{names: "gh", sub: "api", when: changesByAPI, why: cloud},
		{names: "glab", sub: "api", when: changesByAPI, why: cloud},
		{names: "gh", sub: "workflow|run run|enable|disable|rerun|delete|cancel", why: cloud, note: true},
		{names: "gh", sub: "pr|issue merge|close|delete|create|comment|edit|reopen", why: "writes where others see it", note: true},
		{names: "heroku", when: like("*:destroy|*:reset|*:delete|*:remove|*:set|*:unset|*:stop|*:restart|ps:*|run|destroy|run:*|pg:push|pg:copy"), why: cloud},
		{names: "fly flyctl", sub: "deploy|launch|scale", why: deploys},
		{names: "fly flyctl", when: word("destroy", "delete", "stop", "suspend", "unset"), why: destroys},
		{names: "vercel now", when: func(a cmdline.Command) bool {
			return a.Has("--prod") || a.Exactly("deploy", "promote", "rollback", "--prod")
		}, why: deploys},
		{names: "vercel", sub: "rm|remove", why: destroys},
		{names: "netlify", sub: "deploy", when: option("--prod", "-p"), why: deploys},
		{names: "firebase serverless sls sst cdk eb copilot railway wrangler amplify sam surge gh-pages kamal cap dokku ansistrano", sub: "deploy|up|publish|release", why: deploys},
		{names: "firebase serverless sls sst cdk eb railway wrangler sam", sub: "remove|destroy|delete|terminate|down|*:delete|*:disable", why: destroys},
		{names: "npx bunx pnpm yarn", sub: "vercel|wrangler|firebase|netlify|serverless|sst|cdk|gh-pages|surge deploy|publish|--prod|remove|destroy|delete", why: deploys},
		{names: "ansible-playbook ansible", when: without("--check", "-C", "--syntax-check", "--list-hosts", "--list-tasks", "--version"), why: "runs on another machine"},
		{names: "virsh vagrant multipass limactl", sub: "destroy|undefine|delete|purge|halt", why: destroys},
	}
}

// changesByAPI reports whether gh api does more than read. Fields make it a POST unless a
// method is given.
func changesByAPI(a cmdline.Command) bool {
	if methods := a.Values("-X", "--method"); len(methods) > 0 {
		return slices.ContainsFunc(methods, func(m string) bool { return pathtable.Fold(m) != "get" && pathtable.Fold(m) != "head" })
	}
	return a.Has("--input", "-f", "-F", "--field", "--raw-field") || a.AnyWord(func(w string) bool { return strings.Contains(pathtable.Fold(w), "x-http-method-override") })
}
