package main

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

// errNoLogin says what to do where answering needs a person.
var errNoLogin = errors.New("this is for a person with a login of their own: log in with: gateway login\n" +
	"(a program needs a token that an admin has made, in LINECLEAR_TOKEN, with the gateway's address in LINECLEAR_URL)")

// minPassphrase is in characters: who has the file can try passphrases.
const minPassphrase = 10

// login is a person's credential at a terminal, as it is kept, encrypted.
type login struct {
	Secret    string    `json:"secret"`
	Subject   string    `json:"subject"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// loginsFolder has the files of logins, each encrypted by a passphrase.
func loginsFolder() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("login: %w", err)
	}
	return filepath.Join(dir, "lineclear", "logins"), nil
}

// loginFile is where the login to this gateway is kept.
func (r *remote) loginFile() (string, error) {
	folder, err := loginsFolder()
	if err != nil {
		return "", err
	}
	of := os.Getenv("LINECLEAR_URL")
	if of == "" {
		data, _, err := r.paths()
		if err != nil {
			return "", err
		}
		of = paths.Real(data)
	}
	return filepath.Join(folder, paths.Tag(of)+".age"), nil
}

// person is a client for what only a person may, and programs that an admin has
// given a token. The passphrase of a login is asked for at this process's own
// terminal, each time; what it unlocks stays in this process's memory.
func (r *remote) person(ctx context.Context) (*client.Client, error) {
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
		return nil, fmt.Errorf("the login of %s was good until %s: log in again with: gateway login", kept.Subject, kept.ExpiresAt.Local().Format(time.DateTime))
	}
	return gateway.As(kept.Secret), nil
}

// unlock asks for the passphrase until it is the right one.
func unlock(ctx context.Context, sealed []byte) (login, error) {
	for question := "Passphrase of your login:"; ; question = "That is not it. Passphrase:" {
		passphrase, err := terminal.Secret(ctx, question)
		if errors.Is(err, terminal.ErrNoTerminal) {
			return login{}, fmt.Errorf("%w: your login is locked by a passphrase, which is asked for at a terminal alone", err)
		}
		if err != nil {
			return login{}, err
		}
		kept, err := opened(sealed, passphrase)
		var wrong *age.NoIdentityMatchError
		if !errors.As(err, &wrong) {
			return kept, err
		}
	}
}

func opened(sealed []byte, passphrase string) (kept login, err error) {
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

// keep encrypts a login with a passphrase that is asked for, and writes its file.
func (l login) keep(ctx context.Context, file string, say io.Writer) error {
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
			fmt.Fprintln(say, "That is too short: a program that reads the file could find it by trying.")
			continue
		}
		again, err := terminal.Secret(ctx, "The same again:")
		if err != nil {
			return "", err
		}
		if again == passphrase {
			return passphrase, nil
		}
		fmt.Fprintln(say, "These were not the same.")
	}
}

func loginCommand() *cobra.Command {
	var r remote
	c := &cobra.Command{
		Use: "login", Args: cobra.NoArgs,
		Short: "Log this terminal in as you, by a press in your browser, so that you can answer and manage here.",
		Long: "Log this terminal in as you, by a press in your browser, so that you can answer and manage here. The login ends when you\n" +
			"say there, or when the browser's login does. It is kept in a file that a passphrase locks: each verb that answers or\n" +
			"manages asks for it at its own terminal, and nothing else remembers it.\n\n" + exitHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			if !terminal.Interactive(os.Stdin) {
				return usage("login needs a terminal to ask for a passphrase at; a program needs a token, which an admin makes with: gateway tokens create")
			}
			gateway, err := r.client()
			if err != nil {
				return err
			}
			file, err := r.loginFile()
			if err != nil {
				return err
			}
			// A terminal that is closed leaves nothing that is logged in.
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGHUP)
			defer stop()
			made, err := askPress(ctx, gateway, c.OutOrStdout())
			if err != nil {
				return err
			}
			kept := login{Secret: made.Secret, Subject: made.Login.Subject, ExpiresAt: made.Login.ExpiresAt}
			if err := kept.keep(ctx, file, c.OutOrStdout()); err != nil {
				return errors.Join(err, gateway.As(kept.Secret).Logout(context.WithoutCancel(ctx)))
			}
			fmt.Fprintf(c.OutOrStdout(), "You are logged in here as %s until %s. gateway logout ends it.\n", kept.Subject, kept.ExpiresAt.Local().Format(time.DateTime))
			return nil
		},
	}
	r.flags(c)
	return c
}

// askPress shows where to press, and waits until somebody has.
func askPress(ctx context.Context, gateway *client.Client, out io.Writer) (client.Collected, error) {
	asked, err := gateway.AskDevice(ctx, terminalName())
	if err != nil {
		return client.Collected{}, err
	}
	fmt.Fprintf(out, "Open this page in the browser in which you are logged in:\n\n  %s\n\n"+
		"Allow it there if the page shows the code %s. It waits until %s.\n", asked.URL, asked.UserCode, asked.ExpiresAt.Local().Format(time.TimeOnly))
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

// terminalName is what this terminal calls itself, of letters that names may have.
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
	c := &cobra.Command{
		Use: "logout", Args: cobra.NoArgs,
		Short: "End the login of this terminal, and forget it.",
		RunE: func(c *cobra.Command, _ []string) error {
			file, err := r.loginFile()
			if err != nil {
				return err
			}
			sealed, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				return errors.New("nobody is logged in here")
			}
			gateway, failure := r.client()
			if err = errors.Join(err, failure); err != nil {
				return err
			}
			kept, err := unlock(c.Context(), sealed)
			if err != nil {
				return err
			}
			if err := gateway.As(kept.Secret).Logout(c.Context()); err != nil && !overAlready(err) {
				return err
			}
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("logout: %w", err)
			}
			fmt.Fprintln(c.OutOrStdout(), "You are logged out here.")
			return nil
		},
	}
	r.flags(c)
	return c
}

// overAlready reports whether a credential was refused as one that is not good.
func overAlready(err error) bool {
	var p *client.Problem
	return errors.As(err, &p) && p.Status == 401
}
