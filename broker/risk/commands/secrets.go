package commands

import (
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// printsKeys is also the reason of credentials, so that a key looks the same however it is
// read.
const printsKeys = "reads keys or credentials"

// secretRules are commands that print what opens something, into the agent's context and so to
// its maker.
func secretRules() []rule {
	return []rule{
		{names: "gh glab", sub: "auth token|git-credential", why: printsKeys},
		{names: "gh", sub: "auth status", when: option("-t", "--show-token"), why: printsKeys},
		{names: "aws", sub: "sts get-session-token|assume-role*|get-federation-token", why: printsKeys},
		// "configure get" prints one setting, which may be the key.
		{names: "aws", sub: "configure export-credentials|get", why: printsKeys},
		{names: "aws", sub: "secretsmanager get-secret-value|batch-get-secret-value", why: printsKeys},
		{names: "aws", sub: "ssm get-parameter*", when: option("--with-decryption"), why: printsKeys},
		{names: "aws", sub: "ecr|ecr-public get-login-password|get-authorization-token", why: printsKeys},
		{names: "aws", sub: "iam create-access-key", why: printsKeys},
		{names: "gcloud", sub: "auth print-access-token|print-identity-token", why: printsKeys},
		{names: "gcloud", sub: "auth application-default print-access-token", why: printsKeys},
		{names: "gcloud", sub: "secrets versions access", why: printsKeys},
		{names: "az", sub: "account get-access-token", why: printsKeys},
		{names: "az", sub: "keyvault secret show|download", why: printsKeys},
		{names: "security", sub: "find-*-password|dump-keychain|export|unlock-keychain|delete-*|add-*", why: printsKeys},
		{names: "secret-tool", sub: "lookup|search", why: printsKeys},
		{names: "pass gopass", when: showsPassword, why: printsKeys},
		{names: "op", sub: "read|inject|signin", why: printsKeys},
		{names: "op", sub: "item|document get", why: printsKeys},
		{names: "bw rbw", sub: "get|export|unlock|list", why: printsKeys},
		{names: "lpass", sub: "show|export", why: printsKeys},
		{names: "vault bao", sub: "read|login|unwrap", why: printsKeys},
		{names: "vault bao", sub: "kv|token|print get|create|lookup|token", why: printsKeys},
		{names: "doppler infisical", sub: "secrets|export", why: printsKeys},
		{names: "chamber", sub: "read|export|env", why: printsKeys},
		{names: "sops", when: option("-d", "--decrypt"), why: printsKeys},
		{names: "sops", sub: "decrypt|edit", why: printsKeys},
		{names: "age", when: option("-d", "--decrypt"), why: printsKeys},
		{names: "ansible-vault", sub: "view|decrypt|edit", why: printsKeys},
		{names: "kubectl oc", sub: "get", when: showsSecrets, why: printsKeys},
		{names: "kubectl oc", sub: "config view", when: option("--raw"), why: printsKeys},
		{names: "kubectl oc", sub: "create token", why: printsKeys},
		{names: "aws gcloud", sub: "kms decrypt", why: printsKeys},
		{names: "aws", sub: "s3 presign", why: "gives others access to a file"},
		{names: "gsutil", sub: "signurl", why: "gives others access to a file"},
		{names: "gcloud", sub: "iam service-accounts keys create", why: printsKeys},
		{names: "pulumi", when: option("--show-secrets"), why: printsKeys},
		{names: "gpg gpg2", when: option("--export-secret-keys", "--export-secret-subkeys"), why: printsKeys},
		// Variables of an app on this service hold its passwords.
		{names: "heroku", sub: "auth:token|config|config:get", why: printsKeys},
		{names: "npm", sub: "token create", why: printsKeys},
		{names: "keyring", sub: "get", why: printsKeys},
		{names: "ssh-keygen", when: option("-p", "-y"), why: "reads or changes a private key"},
		{names: "ssh-add", when: func(a cmdline.Command) bool { return len(a.Operands()) > 0 || a.Has("-D", "-d") }, why: "reads or changes a private key"},
		{names: "fly flyctl", sub: "auth|tokens token|create", why: printsKeys},
		{names: "pbpaste xclip xsel wl-paste", why: "reads or sets the clipboard", note: true},
	}
}

// showsPassword reports whether pass prints something other than names: any word that is no
// subcommand is the name of a password.
func showsPassword(a cmdline.Command) bool {
	ops := a.Operands()
	if len(ops) == 0 {
		return false
	}
	switch ops[0] {
	case "ls", "list", "find", "search", "version", "help", "git":
		return false
	}
	return true
}

// showsSecrets reports whether kubectl get prints what is in a secret: it is one of the kinds
// in a list, or stands before a slash, and the form of the output is not a table. A table shows
// names only.
func showsSecrets(a cmdline.Command) bool {
	if !a.Has("-o", "--output", "--template") {
		return false
	}
	return a.AnyWord(func(w string) bool {
		for _, kind := range strings.Split(pathtable.Fold(w), ",") {
			kind, _, _ = strings.Cut(kind, "/")
			kind, _, _ = strings.Cut(kind, ".")
			if kind == "secret" || kind == "secrets" {
				return true
			}
		}
		return false
	})
}
