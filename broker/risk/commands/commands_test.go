package commands

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// ruleCases has, for each row of the tables of commands, lines that it is for and lines
// that look like them.
var ruleCases = []struct {
	why  string
	hit  []string
	miss []string
}{
	{"changes the rights of a whole folder", []string{"chmod -R 755 src", "chmod --recursive u+w ."}, []string{"chmod 755 src", "chmod +x run.sh"}},
	{"changes the owner of a whole folder", []string{"chown -R me .", "chgrp -R staff /srv", "setfacl -R -m u:me:rw ."}, []string{"chown me a", "chgrp staff a"}},
	{"lets everybody write", []string{"chmod 777 a", "chmod 0666 a", "chmod a+w a", "chmod o=rwx a", "chmod u+x,o+w a"}, []string{"chmod 755 a", "chmod u+w a", "chmod +x a", "chmod 644 a", "chmod o-w a"}},
	{"makes a program run as its owner", []string{"chmod u+s a", "chmod 4755 a", "chmod g+s a", "chmod 2755 a"}, []string{"chmod 755 a", "chmod 0755 a", "chmod u+x a", "chmod +t a"}},
	{"gives a program more rights", []string{"setcap cap_net_raw+ep a"}, []string{"getcap a"}},
	{"changes how files are protected", []string{"chattr +i a"}, []string{"lsattr a"}},
	{"deletes what it finds", []string{"find . -name x -delete"}, []string{"find . -name x", "find . -name delete"}},
	{"erases the shell's history", []string{"history -c"}, []string{"history"}},
	{"deletes what the source does not have", []string{"rsync -a --delete a/ b/"}, []string{"rsync -a a/ b/"}},
	{
		"changes disks",
		[]string{"mkfs.ext4 /dev/sda1", "newfs_apfs x", "fdisk /dev/sda", "losetup -f x", "lvremove x", "diskutil eraseDisk x", "zfs destroy x", "btrfs subvolume delete x", "nvme format /dev/nvme0"},
		[]string{"diskutil list", "zfs list", "btrfs subvolume list x", "lsblk", "nvme list"},
	},
	{"changes what is mounted", []string{"mount /dev/sda1 /mnt", "umount /mnt", "mount -a"}, []string{"mount", "mount -l"}},
	{"writes to a device", []string{"dd if=x of=/dev/sda", "shred /dev/sda", "truncate -s 0 /dev/sda"}, []string{"dd if=/dev/zero of=x", "dd if=x of=/dev/null", "truncate -s 0 x"}},
	{"changes the running kernel", []string{"modprobe x", "sysctl -w a=1", "sysctl a=1"}, []string{"lsmod", "sysctl -a"}},

	{
		"forces a push",
		[]string{"git push --force", "git push -f origin main", "git push --force-with-lease", "git push origin +main", "git push --mirror x", "git -C /x push -uf o m"},
		[]string{"git push", "git push -u origin main", "git push --tags", "git push --follow-tags", "git log --force"},
	},
	{"deletes on the remote", []string{"git push origin --delete x", "git push origin :x", "git push -d origin x"}, []string{"git push origin a:b"}},
	{"rewrites history", []string{"git filter-branch x", "git filter-repo x", "bfg x"}, []string{"git log"}},
	{
		"throws away uncommitted work",
		[]string{"git reset --hard", "git reset --hard HEAD~1", "git checkout -f x", "git switch --discard-changes x", "git worktree remove --force x"},
		[]string{"git reset", "git reset --soft HEAD~1", "git checkout x", "git worktree remove x"},
	},
	{"throws away changes to files", []string{"git checkout -- a", "git checkout .", "git restore a"}, []string{"git checkout main", "git restore --staged a"}},
	{"deletes untracked files", []string{"git clean -fdx", "git clean -f"}, []string{"git clean -n", "git clean --dry-run -d"}},
	{"throws away stashed work", []string{"git stash clear", "git stash drop"}, []string{"git stash", "git stash list", "git stash pop"}},
	{"deletes unmerged branches", []string{"git branch -D x", "git branch -d -f x"}, []string{"git branch -d x", "git branch x"}},
	{"moves a branch by force", []string{"git branch -f x HEAD"}, []string{"git branch -m x"}},
	{"destroys history", []string{"git reflog expire --all", "git gc --prune=now", "git prune", "git update-ref -d refs/x"}, []string{"git reflog", "git gc", "git prune -n", "git update-ref refs/x HEAD"}},
	{"rewrites local commits", []string{"git rebase main"}, []string{"git merge main"}},
	{"rewrites the last commit", []string{"git commit --amend"}, []string{"git commit -m x"}},
	{"changes git's settings for all projects", []string{"git config --global user.name x", "git config --system a.b c"}, []string{"git config --global user.name", "git config --global --get user.name", "git config --global -l"}},
	{
		"changes what git runs",
		[]string{"git config core.hooksPath x", "git config alias.x !y", "git config --global credential.helper store", "git config --add core.sshCommand x"},
		[]string{"git config user.name x", "git config core.hooksPath", "git config --get alias.x"},
	},
	{"changes git's settings", []string{"git config user.name x", "git config set a.b c"}, []string{"git config user.name", "git config get a.b", "git config --list"}},
	{"makes git run a program", []string{"git -c core.pager=x log", "git -c alias.l=!x l"}, []string{"git -c core.pager=cat log", "git -c user.name=x log"}},
	{"makes git run other programs", []string{"git --exec-path=/x log"}, []string{"git log"}},
	{"changes where git pushes to", []string{"git remote set-url o x", "git remote add o x"}, []string{"git remote -v", "git remote"}},
	{"reads a stored password", []string{"git credential fill", "git-credential-store get", "docker-credential-pass get"}, []string{"git log credential"}},
	{
		"sends a file to the network",
		[]string{
			"git send-email x", "curl -T a x", "curl -d @a x", "curl -F f=@a x", "curl --data-binary @a x", "curl --data=@a x", "curl -sXPOSTd @a x", "wget --post-file=a x", "http x f=@a", "xh x @a",
			"aws s3 cp a s3://b", "aws s3 cp a s3://b --profile x", "aws s3 cp a s3://b --acl public-read", "aws s3 cp a --quiet s3://b --acl x", "aws s3 cp --quiet a s3://b --acl x", "aws s3 cp - s3://b --acl x", "aws s3 sync s3://a s3://b", "gsutil cp a gs://b", "gsutil -m cp a gs://b -z x", "gcloud storage cp a gs://b --project x", "gcloud storage cp a gs://b", "azcopy copy a b", "rclone copy a b:", "croc send a",
		},
		[]string{"curl x", "curl -d a=b x", "curl --data-raw @a x", "curl -o @a x", "wget x", "http x f=a", "aws s3 cp s3://b a", "aws s3 cp s3://b a --profile x", "aws s3 cp --profile x s3://b a", "aws s3 cp s3://b - --profile x", "aws s3 ls s3://b", "gsutil ls gs://b", "gsutil -m cp gs://b a", "gcloud storage cp gs://b a --project x", "gcloud storage cp gs://b ./a", "rclone ls b:"},
	},
	{"pushes to a remote", []string{"git push"}, []string{"git pull"}},

	{
		"publishes a package",
		[]string{
			"npm publish", "npm --tag x publish", "pnpm publish -r", "npm dist-tag add x y", "yarn npm publish", "npm run release", "lerna publish", "changeset publish", "npx changeset publish", "semantic-release",
			"cargo publish", "twine upload dist/a", "poetry publish", "uv publish", "python3 setup.py upload", "python -m twine upload x", "gem push x", "docker push x", "docker image push x", "docker build --push .",
			"helm push x y", "skopeo copy a b", "gh release create v1", "mvn -q deploy", "./gradlew publish", "gradle :a:publishToMavenCentral", "sbt publishSigned", "goreleaser release", "vsce publish", "deno publish",
			"nuget push x", "dotnet nuget push x", "pod trunk push", "dart pub publish", "mix hex.publish", "luarocks upload x",
		},
		[]string{
			"npm pack", "npm test", "npm dist-tag ls", "npm run build", "lerna run x", "changeset version", "npx changeset", "semantic-release --dry-run", "cargo publish --dry-run", "twine check x", "poetry build", "python setup.py build",
			"python -m twine check x", "gem build x", "docker pull x", "docker image ls", "docker build .", "helm lint x", "skopeo inspect a", "gh release list", "mvn package", "./gradlew publishToMavenLocal", "sbt publishLocal",
			"goreleaser release --snapshot", "vsce package", "dotnet build", "dotnet nuget list source", "pod install", "dart pub get", "mix test", "luarocks list", "npm install publish",
		},
	},
	{"publishes text", []string{"gh gist create a"}, []string{"gh gist list"}},
	{"publishes a repository", []string{"gh repo create x --public", "gh repo create x --private --source=. --push"}, []string{"gh repo create x --private", "gh repo list"}},

	{"changes the machine's services", []string{"systemctl stop x", "systemctl --user enable x", "service x restart", "chkconfig x on", "launchctl load x"}, []string{"systemctl status x", "systemctl list-units", "service x status", "launchctl list"}},
	{"schedules a program for later", []string{"systemd-run x", "crontab -e", "crontab x", "crontab -", "crontab -r", "at now"}, []string{"crontab -l", "atq", "at -l"}},
	{"stops the machine", []string{"systemctl reboot", "shutdown now", "reboot", "init 0"}, []string{"init", "systemctl status reboot"}},
	{"changes the firewall", []string{"iptables -F", "ufw disable", "nft flush ruleset"}, []string{"iptables -L", "ufw status", "nft list ruleset"}},
	{"changes users or passwords", []string{"useradd x", "passwd", "visudo", "chsh -s x"}, []string{"whoami", "id"}},
	{"ends every process of the user", []string{"kill -9 -1", "kill -KILL -1"}, []string{"kill -1 123", "kill -9 123", "kill 123"}},
	{"ends processes by name", []string{"killall node", "pkill -f x"}, []string{"pgrep x", "kill 123"}},
	{"looks inside another process", []string{"strace -p 12", "gdb --pid=12", "gcore 12", "gdb attach 12"}, []string{"strace ls", "gdb ./a"}},
	{"switches off protections", []string{"setenforce 0", "csrutil disable"}, []string{"getenforce"}},
	{"runs in another root or namespace", []string{"chroot /x ls"}, []string{"ls chroot"}},
	{
		"gives a container control of the machine",
		[]string{"docker run --privileged x", "docker run -v /:/h x", "docker run -v /etc:/e x", "docker run --pid=host x", "docker run --pid host x", "docker run --mount type=bind,source=/,target=/h x", "docker run -v ~:/h x", "docker run --cap-add SYS_ADMIN x", "docker run -v/:/h x", "docker run --volume=/home/u:/h x"},
		[]string{"docker run x", "docker run -v /home/u/src/app:/app x", "docker run -v ./a:/a x", "docker run -v data:/d x", "docker ps", "docker run -v /tmp/a:/a x"},
	},
	{"gives others control of docker", []string{"docker run -v /var/run/docker.sock:/s x", "curl --unix-socket /var/run/docker.sock http://x/containers"}, []string{"docker ps", "curl http://x"}},
	{"deletes containers or their data", []string{"docker system prune -a", "docker volume rm x", "docker-compose down -v", "docker compose down --volumes"}, []string{"docker system df", "docker volume ls", "docker compose down", "docker-compose down"}},
	{"prints the environment", []string{"env", "printenv", "set", "export -p", "declare -p"}, []string{"env A=1 ls", "printenv HOME", "set -e", "export A=1", "declare -x A"}},
	{
		"deletes data in a database",
		[]string{"psql -c 'DROP TABLE x'", "mysql -e 'truncate table x'", "sqlite3 a.sqlite 'delete from x'", "psql -c 'update x set a = 1'", "mongosh --eval 'db.x.drop()'", "dropdb x", "mysqladmin drop x", "redis-cli FLUSHALL", "rails db:drop", "npx prisma migrate reset", "supabase db reset", "python manage.py flush", "python3 ./web/manage.py reset_db", "php artisan migrate:fresh", "php artisan db:wipe"},
		[]string{"psql -c 'select 1'", "sqlite3 a.sqlite 'delete from x where id = 1'", "psql -c 'update x set a = 1 where id = 2'", "mysqladmin status", "redis-cli get x", "rails db:migrate", "npx prisma migrate dev", "supabase db diff"},
	},

	{
		destroys,
		[]string{"kubectl delete pod x", "kubectl -n a delete pod x", "helm uninstall x", "terraform destroy", "terraform state rm x", "pulumi destroy", "pulumi stack rm x", "aws s3 rm s3://x", "aws ec2 terminate-instances x", "gcloud projects delete x", "az group delete x", "gh repo delete x", "gh issue delete 1", "fly apps destroy x", "vercel rm x", "firebase hosting:disable", "cdk destroy", "vagrant destroy"},
		[]string{"kubectl get pods", "helm list", "terraform plan", "terraform state list", "pulumi preview", "aws s3 ls", "gcloud projects list", "az group list", "gh repo view", "fly status", "vercel ls", "firebase projects:list", "cdk diff", "vagrant status"},
	},
	{
		cloud,
		[]string{"kubectl apply -f x", "helm upgrade x y", "helmfile sync", "terraform apply", "pulumi up", "gh api -X DELETE x", "gh api x -f a=b", "gh api x --raw-field=a=b", "gh api x -fa=b", "gh api x --fie a=b", "gh api x -H X-HTTP-Method-Override:DELETE", "kubectl certificate approve x", "glab api --method POST x", "gh workflow run x", "heroku config:set A=1"},
		[]string{"kubectl get pods", "helm template x", "helmfile diff", "terraform plan", "gh api x", "gh api -X GET x", "gh workflow list", "heroku apps"},
	},
	{elsewhere, []string{"kubectl exec x -- ls", "ansible-playbook x", "ssh h ls", "ssh-copy-id h", "pssh x"}, []string{"ansible-playbook --check x", "ssh", "ssh-keygen -l"}},
	{
		deploys,
		[]string{"make deploy", "just -q ship", "gcloud run deploy x", "fly deploy", "vercel --prod", "vercel deploy", "netlify deploy --prod", "firebase deploy", "npx wrangler deploy", "serverless deploy", "cdk deploy"},
		[]string{"make release", "make deploy-test", "gcloud run services list", "fly logs", "vercel dev", "netlify deploy", "firebase emulators:start", "npx wrangler dev"},
	},
	{"changes keys or credentials", []string{"gh secret set x"}, []string{"gh secret list"}},
	{"writes where others see it", []string{"gh pr create", "gh pr merge 1"}, []string{"gh pr view", "gh pr list"}},

	{
		printsKeys,
		[]string{
			"gh auth token", "gh auth status --show-token", "aws sts get-session-token", "aws configure export-credentials", "aws secretsmanager get-secret-value x", "aws ssm get-parameter --name x --with-decryption", "aws ecr get-login-password", "aws iam create-access-key",
			"gcloud auth print-access-token", "gcloud auth application-default print-access-token", "gcloud secrets versions access 1", "az account get-access-token", "az keyvault secret show x", "security find-generic-password -w", "secret-tool lookup a b", "pass show x", "pass x", "op read op://x", "op item get x",
			"bw get password x", "lpass show x", "vault read x", "vault kv get x", "doppler secrets", "chamber read x", "sops -d x", "sops decrypt x", "age -d x", "ansible-vault view x", "kubectl get secret x -o yaml", "kubectl config view --raw", "kubectl create token x",
			"gpg --export-secret-keys", "heroku auth:token", "npm token create", "keyring get a b", "fly auth token",
			"kubectl get pods,secrets -o yaml", "kubectl get -o json secret/x", "kubectl get secrets.v1 x --output=yaml", "aws kms decrypt --key-id x", "gcloud kms decrypt --key x", "gcloud iam service-accounts keys create k.json", "pulumi stack output --show-secrets",
		},
		[]string{
			"gh auth status", "aws sts get-caller-identity", "aws configure list", "aws secretsmanager list-secrets", "aws ssm get-parameter --name x", "gcloud auth list", "gcloud secrets list", "az account show", "az keyvault list", "security list-keychains", "pass ls", "pass", "op whoami", "op item list",
			"bw status", "vault status", "vault kv list x", "chamber list x", "sops -e x", "age -r k x", "kubectl get secret x", "kubectl get pods -o yaml", "aws kms list-keys", "gcloud iam service-accounts list", "pulumi stack output", "kubectl config view", "gpg --verify x", "heroku apps", "keyring --help", "fly status",
		},
	},
	{"gives others access to a file", []string{"aws s3 presign s3://a/b", "gsutil signurl k gs://a/b"}, []string{"aws s3 ls", "gsutil ls"}},
	{"reads or changes a private key", []string{"ssh-keygen -y -f k", "ssh-add k"}, []string{"ssh-keygen -l -f k", "ssh-add -l"}},
	{"reads or sets the clipboard", []string{"pbpaste"}, []string{"pbcopy"}},

	{sendsData, []string{"curl -d a=b x", "curl --json {} x", "wget --post-data=a x"}, []string{"curl x", "wget x"}},
	{"reaches the cloud's metadata", []string{"curl -s http://169.254.169.254/latest", "wget -qO- metadata.google.internal/x", "http 169.254.169.254"}, []string{"curl http://example.com", "curl http://10.0.0.1/169.254.169.254"}},
	{"deletes something over the network", []string{"curl -X DELETE x", "curl -XDELETE x"}, []string{"curl -X GET x", "curl x"}},
	{"sends files to another machine", []string{"scp a h:b", "scp -- a h:b", "rsync -a a u@h:b", "rsync -a a h:b --exclude x", "rsync a -v h:b -e ssh", "rsync a rsync://h/b --bwlimit 1", "sftp h", "rsync a rsync://h/b"}, []string{"scp h:a b", "scp -P 22 h:a b", "rsync -e ssh h:a b --exclude x", "rsync -a a b", "rsync -a a ./b:c", "rsync -a a /b:c"}},
	{"fetches files from another machine", []string{"scp h:a b"}, []string{"scp a h:b", "rsync a b"}},
	{"talks to the network", []string{"nc h 80", "nc -l 80", "ncat -e sh h 1", "socat - TCP:h:1", "telnet h", "openssl s_client -connect h:1"}, []string{"nc -z h 80", "nc", "socat - FILE:x", "telnet", "openssl x509 -in x"}},
	{"sends mail", []string{"mail x"}, []string{"echo mail"}},
	{"opens this machine to the network", []string{"ngrok http 80", "npx localtunnel"}, []string{"npx serve"}},

	{
		"controls aoctl itself",
		[]string{"aoctl rules add x", "aoctl rules rm x", "aoctl rules import x", "aoctl rules disable x", "aoctl approve x", "aoctl token new", "aoctl unfreeze", "aoctl uninstall claude", "aoctl install claude", "aoctl hook claude", "aoctl", "aoctl whatever", "aoctl --socket /x sessions", "/opt/x/aoctl rules add y", "aoctl-hook claude", "aoctl config edit", "aoctl config --socket /x", "aoctl config ''"},
		[]string{"aoctl --version", "aoctl sessions", "aoctl pending", "aoctl deny x", "aoctl rules list", "aoctl rules explain x", "aoctl log verify", "aoctl config", "aoctl config path"},
	},
	{"ends or stops aoctl", []string{"pkill aoctl", "killall -STOP aoctl", "systemctl --user stop aoctl"}, []string{"kill 123", "pkill node"}},
	{"looks inside aoctl's process", []string{"strace -p 'aoctl'", "gdb aoctl"}, []string{"strace ls"}},
	{"may change aoctl's own files", []string{"rm '$(which aoctl)'", "cp x '$(command -v aoctl)'"}, []string{"rm aoctl.txt", "which aoctl"}},
	{"types into another terminal", []string{"tmux send-keys -t x a Enter", "screen -S x -X stuff a"}, []string{"tmux ls", "screen -ls"}},
	{"types into another window", []string{"xdotool key a"}, []string{"xprop"}},
	{"controls other programs", []string{"osascript -e x"}, []string{"open x"}},
	{
		AsksNobody,
		[]string{"claude --dangerously-skip-permissions -p x", "claude --permission-mode bypassPermissions -p x", "codex exec --yolo x", "codex --dangerously-bypass-approvals-and-sandbox", "codex -a never x", "gemini -y x", "gemini --approval-mode yolo", "cursor-agent -f x", "copilot --allow-all-tools", "aider --yes-always", "amp --dangerously-allow-all", "goose run --auto", "npx @openai/codex --yolo x"},
		[]string{"claude -p x", "codex exec x", "gemini x", "cursor-agent x", "copilot -p x", "aider x", "npx vitest"},
	},
	{
		TouchesSettings,
		[]string{"claude config set a b", "claude mcp add x y", "claude mcp remove x", "gemini extensions install x", "claude --settings x -p y", "claude --mcp-config x", "codex -c a=b exec x", "gemini hooks disable", "codex mcp add x"},
		[]string{"claude mcp list", "claude -p x", "codex exec x", "claude --version"},
	},
	{"runs another agent", []string{"claude -p x"}, []string{"claude --version"}},

	{
		fromURL,
		[]string{"npm install git+https://x/y", "npm i github:a/b", "npm i a/b", "npm i https://x/y.tgz", "pip install https://x/y.whl", "pip3 install git+https://x", "python3 -m pip install git+https://x", "uv add git+https://x", "cargo install --git https://x", "gem install https://x", "dpkg -i https://x/y.deb"},
		[]string{"npm install", "npm i left-pad", "npm i @a/b", "npm i ./a/b", "npm i --prefix a/b", "pip install requests", "pip install -r requirements.txt", "python -m pip install x", "uv add x", "cargo install ripgrep", "gem install rake", "dpkg -i x.deb"},
	},
	{"runs a program from a URL", []string{"npx github:a/b", "npx https://x/y", "pnpm dlx a/b", "deno run https://x/y.ts", "node https://x/y.js"}, []string{"npx eslint src/app", "npx @a/b", "pnpm dlx x", "deno run x.ts", "node x.js"}},
	{"installs for all projects", []string{"npm i -g x", "yarn global add x"}, []string{"npm i x", "npm i global"}},
	{"installs or removes programs", []string{"pip install x", "brew install x", "apt-get install x", "cargo install x"}, []string{"pip list", "brew list", "cargo build"}},
}

func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.why, func(t *testing.T) {
			for _, line := range c.hit {
				if list := Of(cmdline.Of(run(line))); !says(list, c.why) {
					t.Errorf("%s: got %+v", line, list)
				}
			}
			for _, line := range c.miss {
				if list := Of(cmdline.Of(run(line))); says(list, c.why) {
					t.Errorf("%s: must not be found: %+v", line, list)
				}
			}
		})
	}
}

func says(list []Remark, why string) bool {
	return slices.ContainsFunc(list, func(m Remark) bool { return m.Why == why })
}

// Every row of the tables is reached by one of the lines above, and says its reason in
// a few words.
func TestEveryRuleHasACase(t *testing.T) {
	used := map[int]bool{}
	rules := allRules()
	for _, c := range ruleCases {
		for _, line := range c.hit {
			a := cmdline.Of(run(line))
			for i, r := range rules {
				m, ok := r.of(a)
				used[i] = used[i] || ok && names(r, a.Name) && m.Why == c.why
			}
		}
	}
	for i, r := range rules {
		if !used[i] {
			t.Errorf("no case for %q %q: %s", r.names, r.sub, r.why)
		}
		if len(r.why) > 45 || len(r.why) == 0 {
			t.Errorf("reason of %d characters: %q", len(r.why), r.why)
		}
	}
}

func names(r rule, program string) bool {
	for _, n := range strings.Fields(r.names) {
		if n == program || strings.HasSuffix(n, "*") && strings.HasPrefix(program, strings.TrimSuffix(n, "*")) {
			return true
		}
	}
	return false
}

// run is the element of a simple command; a part in single quotes is one word.
func run(line string) shell.Element {
	e := shell.Element{Kind: shell.Command, Text: line}
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			e.Argv = append(e.Argv, part)
			continue
		}
		e.Argv = append(e.Argv, strings.Fields(part)...)
	}
	return e
}
