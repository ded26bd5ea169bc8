package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/terminal"
)

// errNoLogin is returned by verbs that need a person's login.
var errNoLogin = errors.New("this is for a person with a login of their own: log in with: gateway login\n" +
	"(a program needs a token that an admin has made, in LINECLEAR_TOKEN, with the gateway's address in LINECLEAR_URL)")

// minPassphrase is in characters. Whoever has the file can try passphrases.
const minPassphrase = 10

// savedLogin is a person's credential at a terminal, as stored in the encrypted file.
type savedLogin struct {
	Secret    string    `json:"secret"`
	Subject   string    `json:"subject"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// loginFile is the file of the login to this gateway.
func (r *remote) loginFile() (string, error) {
	folder, err := client.LoginsFolder()
	if err != nil {
		return "", err
	}
	of := os.Getenv("LINECLEAR_URL")
	if of == "" {
		data, err := r.running()
		if err != nil {
			return "", err
		}
		of = paths.Real(data)
	}
	return filepath.Join(folder, paths.Tag(of)+".age"), nil
}

// userClient returns a client with the rights of the person at the terminal, or of
// LINECLEAR_TOKEN. It asks for the login's passphrase at the process's terminal each
// time; the secret stays in this process's memory.
func (r *remote) userClient(ctx context.Context) (*client.Client, error) {
	gateway, err := r.client()
	if err != nil || os.Getenv("LINECLEAR_TOKEN") != "" && os.Getenv("LINECLEAR_URL") != "" {
		return gateway, err
	}
	if os.Getenv("LINECLEAR_URL") == "" {
		if me, err := gateway.Me(ctx); err != nil || me.May(auth.Answer) {
			return gateway, err // gateway.localKey: answers
		}
	}
	file, err := r.loginFile()
	if err != nil {
		return nil, err
	}
	sealed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoLogin
	}
	if err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	kept, err := unlock(ctx, sealed)
	if err != nil {
		return nil, err
	}
	if !time.Now().Before(kept.ExpiresAt) {
		return nil, fmt.Errorf("the login of %s was good until %s: log in again with: gateway login", kept.Subject, local(kept.ExpiresAt))
	}
	return gateway.As(kept.Secret), nil
}

// unlock asks for the passphrase until it is right.
func unlock(ctx context.Context, sealed []byte) (savedLogin, error) {
	for question := "Passphrase of your login:"; ; question = "Wrong passphrase. Try again:" {
		passphrase, err := terminal.Secret(ctx, question)
		if errors.Is(err, terminal.ErrNoTerminal) {
			return savedLogin{}, fmt.Errorf("%w: your login is locked with a passphrase, which can only be entered at a terminal", err)
		}
		if err != nil {
			return savedLogin{}, err
		}
		kept, err := decrypt(sealed, passphrase)
		var wrong *age.NoIdentityMatchError
		if !errors.As(err, &wrong) {
			return kept, err
		}
	}
}

func decrypt(sealed []byte, passphrase string) (kept savedLogin, err error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil { // it is empty
		return kept, &age.NoIdentityMatchError{}
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if err != nil {
		return kept, fmt.Errorf("login: %w", err)
	}
	if err := json.UnmarshalRead(plain, &kept); err != nil {
		return kept, fmt.Errorf("login: the file is damaged: log in again with: gateway login: %w", err)
	}
	return kept, nil
}

// save asks for a new passphrase, and writes the login encrypted with it.
func (l savedLogin) save(ctx context.Context, file string, say io.Writer) error {
	passphrase, err := newPassphrase(ctx, say)
	if err != nil {
		return err
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return fmt.Errorf("login: %w", err)
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err == nil {
		err = errors.Join(json.MarshalWrite(w, l), w.Close())
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = os.WriteFile(file, sealed.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("login: %w", err)
	}
	return nil
}

func newPassphrase(ctx context.Context, say io.Writer) (string, error) {
	for {
		passphrase, err := terminal.Secret(ctx, fmt.Sprintf("Choose a passphrase of at least %d characters:", minPassphrase))
		if err != nil {
			return "", err
		}
		if utf8.RuneCountInString(passphrase) < minPassphrase {
			fmt.Fprintln(say, "Too short: a program that reads the file could guess it.")
			continue
		}
		again, err := terminal.Secret(ctx, "Repeat it:")
		if err != nil {
			return "", err
		}
		if again == passphrase {
			return passphrase, nil
		}
		fmt.Fprintln(say, "They differ. Start again.")
	}
}

func loginCommand() *cobra.Command {
	var r remote
	c := &cobra.Command{
		Use: "login", Args: cobra.NoArgs,
		Short: "Log in at this terminal, by approving it in your browser, so that you can answer and manage here.",
		Long: "Log in at this terminal, by approving it in your browser, so that you can answer and manage here. The login ends at the time\n" +
			"that you choose there, and with the browser's login. It is stored in a file encrypted with a passphrase: each verb that\n" +
			"answers or manages asks for it at its own terminal, and nothing else remembers it.\n\n" + exitHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			if !terminal.Interactive(os.Stdin) {
				return usage("login needs a terminal, to ask for a passphrase; a program needs a token, which an admin makes with: gateway tokens create")
			}
			gateway, err := r.client()
			if err != nil {
				return err
			}
			file, err := r.loginFile()
			if err != nil {
				return err
			}
			// Closing the terminal leaves no login behind.
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGHUP)
			defer stop()
			made, err := requestLogin(ctx, gateway, c.OutOrStdout())
			if err != nil {
				return err
			}
			kept := savedLogin{Secret: made.Secret, Subject: made.Login.Subject, ExpiresAt: made.Login.ExpiresAt}
			if err := kept.save(ctx, file, c.OutOrStdout()); err != nil {
				return errors.Join(err, gateway.As(kept.Secret).Logout(context.WithoutCancel(ctx)))
			}
			fmt.Fprintf(c.OutOrStdout(), "You are logged in as %s until %s. To end it: gateway logout\n", kept.Subject, local(kept.ExpiresAt))
			return nil
		},
	}
	r.flags(c)
	return c
}

// requestLogin shows where to approve the login, and waits for it.
func requestLogin(ctx context.Context, gateway *client.Client, out io.Writer) (client.Collected, error) {
	asked, err := gateway.AskDevice(ctx, terminalName())
	if err != nil {
		return client.Collected{}, err
	}
	fmt.Fprintf(out, "Open this page in a browser where you are logged in:\n\n  %s\n\n"+
		"Allow it there if the page shows the code %s. The request expires at %s.\n", asked.URL, asked.UserCode, clock(asked.ExpiresAt))
	poll := time.NewTicker(time.Second)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return client.Collected{}, ctx.Err()
		case <-poll.C:
		}
		if got, err := gateway.CollectDevice(ctx, asked.DeviceCode); err != nil || !got.Waiting {
			return got, err
		}
	}
}

// terminalName is user@host, if that is a valid name.
func terminalName() string {
	who := "somebody"
	if u, err := user.Current(); err == nil && u.Username != "" {
		who = u.Username
	}
	host, _ := os.Hostname()
	name := strings.Trim(who+"@"+host, "@")
	if auth.CheckSubject(name) != nil {
		return "terminal"
	}
	return name
}

func logoutCommand() *cobra.Command {
	var r remote
	var o printer
	c := &cobra.Command{
		Use: "logout", Args: cobra.NoArgs,
		Short: "Log out at this terminal.",
		RunE: func(c *cobra.Command, _ []string) error {
			file, err := r.loginFile()
			if err != nil {
				return err
			}
			sealed, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				return errors.New("you are not logged in at this terminal")
			}
			gateway, failure := r.client()
			if err = errors.Join(err, failure); err != nil {
				return err
			}
			kept, err := unlock(c.Context(), sealed)
			if err != nil {
				return err
			}
			if err := gateway.As(kept.Secret).Logout(c.Context()); err != nil && !isUnauthorized(err) {
				return err
			}
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("logout: %w", err)
			}
			return o.print(c, map[string]string{"loggedOut": kept.Subject}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "You are logged out.")
				return err
			})
		},
	}
	r.flags(c)
	o.flag(c, "")
	return c
}

// isUnauthorized reports whether the gateway refused the credential.
func isUnauthorized(err error) bool {
	var p *client.Problem
	return errors.As(err, &p) && p.Status == 401
}
