package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// netRows are programs that fetch from and send to the network.
func netRows() map[string]spec {
	rows := map[string]spec{
		"curl":   curlRow(),
		"wget":   wgetRow(),
		"wget2":  wgetRow(),
		"aria2c": {lax: true, whole: "writes files that are named by their addresses", exact: "--on-download-complete= --on-download-start= --on-download-error= --on-download-stop= --on-download-pause= --on-bt-download-complete= --conf-path= -i= --input-file= -d= --dir= -o= --out="},
		"http":   httpieRow(), "https": httpieRow(), "xh": httpieRow(),
		"ftp":     {lax: true, whole: "can run programs from its prompt"},
		"lftp":    {lax: true, whole: "can run programs from its prompt"},
		"tcpdump": {ok: "-AbdDefhHIJKlLnNOpqStuUvxX# -B= -c= -C= -E= -G= -i= -j= -m= -M= -s= -T= -W= -y= -Q= --interface= --list-interfaces --version --help --number --count --print", read: "-F= -r= -V=", spill: "-w=", unsure: "-z= -Z= --relinquish-privileges="},
		"tshark":  {lax: true, exact: "-X= -o= -C=", spill: "-w=", read: "-r="},
		"nmap":    {lax: true, single: true, exact: "-interactive -script= -sC -A -script-args= -script-args-file= -datadir= -servicedb= -versiondb=", spill: "-oN= -oX= -oG= -oA= -oS= -resume=", read: "-iL= -excludefile="},
		"openssl": {single: true, lax: true, read: "-in= -inkey= -CAfile= -cert= -key=", spill: "-out= -keyout= -writerand=", exact: "-config=", unsure: "-pre= -post= -engine= -provider= -provider-path= -provider_path=", ops: opensslOps},
	}
	rows["dig"] = spec{lax: true, read: "-f= -k="}
	rows["ip"] = spec{lax: true, exact: "-b= -batch=", single: true, ops: ipOps}
	rows["ss"] = spec{lax: true, spill: "-D= --diag=", read: "-F= --filter=", exact: "-K --kill"}
	same(rows, spec{lax: true}, "host nslookup whois ping ping6 traceroute mtr netstat ifconfig")
	rows["lsof"] = spec{lax: true, ok: "-a -i? -p= -u= -c= -d= -g? -s? -F? -r? -T?", exact: "-D= -k= -m="}
	return rows
}

func curlRow() spec {
	return spec{
		ok: "-0123468:#afgGiIjJklLMNpqRsSvVZB -A= -b= -C= -d= -e= -E= -F= -h? -H= -m= -P= -r= -t= -T= -u= -U= -w= -x= -X= -y= -Y= -z= --anyauth --append --aws-sigv4= --basic --cacert= --capath= --cert= --cert-status --cert-type= " +
			"--ciphers= --compressed --compressed-ssh --connect-timeout= --connect-to= --continue-at= --cookie= --create-dirs --create-file-mode= --crlf --crlfile= --curves= --data= --data-ascii= --data-binary= --data-raw= --data-urlencode= " +
			"--delegation= --digest --disable --disable-eprt --disable-epsv --disallow-username-in-url --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers= --doh-cert-status --doh-insecure --doh-url= --expect100-timeout= " +
			"--fail --fail-early --fail-with-body --false-start --form= --form-escape --form-string= --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv --ftp-port= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc " +
			"--ftp-ssl-ccc-mode= --ftp-ssl-control --get --globoff --happy-eyeballs-timeout-ms= --haproxy-protocol --haproxy-clientip= --head --header= --help? --hostpubmd5= --hostpubsha256= --http0.9 --http1.0 --http1.1 --http2 " +
			"--http2-prior-knowledge --http3 --http3-only --ignore-content-length --include --insecure --interface= --ipfs-gateway= --ipv4 --ipv6 --json= --junk-session-cookies --keepalive-time= --keepalive-cnt= --key= --key-type= --krb= --limit-rate= --list-only " +
			"--local-port= --location --location-trusted --login-options= --mail-auth= --mail-from= --mail-rcpt= --mail-rcpt-allowfails --manual --max-filesize= --max-redirs= --max-time= --negotiate --next " +
			"--no-alpn --no-buffer --buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --noproxy= --ntlm --ntlm-wb --oauth2-bearer= --parallel --parallel-immediate --parallel-max= --pass= --path-as-is --pinnedpubkey= --post301 --post302 " +
			"--post303 --preproxy= --progress-bar --proto= --proto-default= --proto-redir= --proxy= --proxy-anyauth --proxy-basic --proxy-cacert= --proxy-capath= --proxy-cert= --proxy-cert-type= --proxy-ciphers= --proxy-crlfile= --proxy-digest " +
			"--proxy-header= --proxy-http2 --proxy-insecure --proxy-key= --proxy-key-type= --proxy-negotiate --proxy-ntlm --proxy-pass= --proxy-pinnedpubkey= --proxy-service-name= --proxy-tls13-ciphers= --proxy-tlsauthtype= --proxy-tlspassword= --proxy-tlsuser= --proxy-tlsv1 " +
			"--proxy-user= --proxy1.0= --proxytunnel --pubkey= --random-file= --range= --rate= --raw --referer= --remote-time --remove-on-error --request= --request-target= --resolve= --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= " +
			"--sasl-authzid= --sasl-ir --service-name= --show-error --show-headers --silent --skip-existing --socks4= --socks4a= --socks5= --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service= --socks5-hostname= --speed-limit= --speed-time= --ssl --ssl-allow-beast " +
			"--ssl-auto-client-cert --ssl-no-revoke --ssl-reqd --ssl-revoke-best-effort --sslv2 --sslv3 --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --telnet-option= --tftp-blksize= --tftp-no-options --time-cond= --tls-max= --tls13-ciphers= " +
			"--tlsauthtype= --tlspassword= --tlsuser= --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-time --trace-ids --trace-config= --upload-file= --url= --url-query= --use-ascii --user= --user-agent= --variable= --verbose --version --write-out= --xattr --no-styled-output",
		spill:  "--alt-svc= -o= --output= -c= --cookie-jar= -D= --dump-header= --etag-save= --hsts= --libcurl= --stderr= --trace= --trace-ascii=",
		exact:  "-n --netrc --netrc-file= --netrc-optional -Q= --quote= -O --remote-name --remote-name-all --remote-header-name -J --output-dir= --unix-socket= --abstract-unix-socket= --etag-compare= --expand-url= --expand-data=",
		unsure: "-K= --config= --engine= --egd-file=",
		ops:    curlOps,
	}
}

// curlOps finds the files that curl reads besides: file: URLs, @file in data and
// headers, uploads, keys and cookies.
func curlOps(c *call) {
	for _, w := range append(c.values("--url"), c.rest...) {
		c.fileURL(w)
		if scheme, _, ok := strings.Cut(strings.ToLower(w.Text), "://"); ok && !curlSchemes.Has(scheme) {
			c.exactf("curl speaks another protocol than those of web pages")
		}
	}
	for _, w := range c.values("-T", "--upload-file", "--key", "--cacert", "--capath", "--crlfile", "--pubkey", "--netrc-file", "--proxy-key", "--proxy-cacert", "--proxy-capath", "--proxy-crlfile") {
		c.reads(w)
	}
	for _, w := range c.values("-E", "--cert", "--proxy-cert") {
		file, _, _ := strings.Cut(w.Text, ":") // its password
		c.reads(tail(w, file))
	}
	for _, w := range c.values("-b", "--cookie") {
		if !strings.Contains(w.Text, "=") {
			c.reads(w)
		}
	}
	for _, w := range c.values("-d", "--data", "--data-ascii", "--data-binary", "--json", "-H", "--header", "--proxy-header") {
		if file, ok := strings.CutPrefix(w.Text, "@"); ok {
			c.reads(tail(w, file))
		}
	}
	for _, w := range c.values("--data-urlencode", "--url-query", "--variable") {
		if name, file, ok := strings.Cut(w.Text, "@"); ok && !strings.Contains(name, "=") {
			c.reads(tail(w, file))
		}
	}
	for _, w := range c.values("-F", "--form") {
		c.formFiles(w)
	}
	for _, w := range c.values("-w", "--write-out") {
		if strings.Contains(w.Text, "%output{") || strings.HasPrefix(w.Text, "@") {
			c.exactf("curl -w reads or writes a file")
		}
	}
	for _, w := range c.values("--proto-default") {
		if strings.HasPrefix(strings.ToLower(w.Text), "file") {
			c.exactf("curl is told to read files")
		}
	}
}

// formFiles reads the files of a field: NAME=@FILE,FILE or NAME=<FILE, each with a type and so on
// behind semicolons, among which headers may stand in a file, too.
func (c *call) formFiles(w Word) {
	_, value, _ := strings.Cut(w.Text, "=")
	if strings.ContainsAny(value, `"\`) {
		c.exactf("curl -F is given a name in quotes")
	}
	list, isFile := strings.HasPrefix(value, "@"), strings.HasPrefix(value, "@") || strings.HasPrefix(value, "<")
	if isFile {
		value = value[1:]
	}
	part, quoted, setting := "", false, false
	for _, r := range value + ";" {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted || r != ';' && (r != ',' || !list):
			part += string(r)
		default:
			_, from, _ := strings.Cut(part, "=")
			if !setting && isFile {
				c.reads(tail(w, strings.TrimSpace(part)))
			} else if setting && (strings.HasPrefix(from, "@") || strings.HasPrefix(from, "<")) {
				c.reads(tail(w, from[1:]))
			}
			part, setting = "", r == ';'
		}
	}
}

var curlSchemes = wordset.New("http https ftp ftps file ws wss")

// fileURL reads the file that a file: URL names.
func (c *call) fileURL(w Word) {
	if len(w.Text) < 5 || !strings.EqualFold(w.Text[:5], "file:") {
		return
	}
	c.exactf("%s reads a file of this machine", c.name)
	path := strings.TrimPrefix(w.Text[5:], "//")
	if _, rest, ok := strings.Cut(path, "/"); ok {
		path = "/" + rest // behind the name of a machine
	}
	c.reads(tail(w, path))
}

func wgetRow() spec {
	return spec{
		ok: "-bdqvVhcNSmrkKEHLpnFx46 -l= -A= -R= -D= -I= -X= -t= -T= -w= -Q= -U= -B= --background --debug --quiet --verbose --no-verbose --version --help --continue --timestamping --no-timestamping --server-response --spider --mirror --recursive --convert-links " +
			"--page-requisites --no-parent --span-hosts --relative --level= --accept= --reject= --accept-regex= --reject-regex= --regex-type= --domains= --exclude-domains= --follow-tags= --ignore-tags= --include-directories= --exclude-directories= --tries= --timeout= --dns-timeout= " +
			"--connect-timeout= --read-timeout= --wait= --waitretry= --random-wait --limit-rate= --quota= --user-agent= --header= --referer= --user= --password= --http-user= --http-password= --no-check-certificate --no-cache --no-cookies --max-redirect= --method= --body-data= --post-data= " +
			"--content-on-error --show-progress --progress= --retry-connrefused --retry-on-http-error= --no-proxy --inet4-only --inet6-only --prefer-family= --no-dns-cache --https-only --compression= --secure-protocol= --force-html --base= --no-config --no-hsts --trust-server-names --adjust-extension --no-if-modified-since --auth-no-challenge",
		read:   "--post-file= --body-file= --load-cookies= --ca-certificate= --certificate= --private-key=",
		spill:  "-O= --output-document= -o= --output-file= -a= --append-output= -P= --directory-prefix= --save-cookies= --rejected-log= --warc-file= --hsts-file= --warc-tempdir= --warc-dedup=",
		exact:  "-i= --input-file= --no-clobber --cut-dirs= --protocol-directories --force-directories --no-directories --no-host-directories --delete-after --content-disposition --ask-password --backups?",
		unsure: "-e= --execute= --use-askpass= --config= --egd-file=",
		ops:    wgetOps,
	}
}

// wgetOps: without -O wget makes files by the names in its URLs.
func wgetOps(c *call) {
	if !c.has("--spider", "-O", "--output-document", "--version", "--help", "-V", "-h") {
		c.exactf("wget writes a file that is named by its address")
	}
}

func httpieRow() spec {
	return spec{lax: true, ok: "-A= -a= -p= -s= --auth= --auth-type= --print= --style= --timeout= --max-redirects= --proxy= --verify= --ssl= --format-options= --pretty=", read: "--cert= --cert-key= --session-read-only=", spill: "-o= --output= --session=", exact: "-d --download -c --continue", ops: httpieOps}
}

// httpieOps: name@file sends a file, name=@file its text.
func httpieOps(c *call) {
	for i, w := range c.rest {
		if at := strings.LastIndex(w.Text, "@"); i > 0 && at >= 0 && !strings.Contains(w.Text, "://") {
			c.reads(tail(w, w.Text[at+1:]))
		}
	}
}

// ipOps: "ip netns exec NAME command" runs a command; words may be shortened.
func ipOps(c *call) {
	for i, w := range c.rest {
		if i > 0 && (strings.HasPrefix("exec", w.Text) || w.Text == "vrf") && (strings.HasPrefix(c.rest[0].Text, "n") || strings.HasPrefix(c.rest[0].Text, "v")) {
			c.unsuref("ip can run another program")
		}
	}
}

// opensslOps: its servers give files of this machine to others.
func opensslOps(c *call) {
	if len(c.words) > 0 && (c.words[0].Text == "s_server" || c.words[0].Text == "ocsp" || c.words[0].Text == "tsget") {
		c.exactf("openssl opens a server")
	}
}
