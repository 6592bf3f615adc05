package account_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// mailbox is a Mailer that stores the text of the last mail.
type mailbox struct{ text string }

func (m *mailbox) Send(_ context.Context, _, _, text string) error {
	m.text = text
	return nil
}

func (m *mailbox) token(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`/link#(\S+)`).FindStringSubmatch(m.text)
	if found == nil {
		t.Fatalf("no link in %q", m.text)
	}
	return found[1]
}

// TestEndingLocks finds functions that end keys, or freeze accounts, without waiting for the use cases that
// hold a key, or a session of a frozen account: on PostgreSQL such a change would not conflict with them. Sessions end
// by deletion, which does.
func TestEndingLocks(t *testing.T) {
	t.Parallel()
	keys := []string{"lockKeysOf"}
	ends := map[string][]string{"RevokeKey": keys, "RevokeKeysOf": keys, "RevokeAllKeysOf": keys,
		"FreezeAccount": {"lockKeysOf", "lockSessionsOf"}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ending, calls := "", map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					root, isName := s.X.(*ast.Ident)
					if ends[s.Sel.Name] != nil && (!isName || root.Name != "s") {
						ending = s.Sel.Name
					}
					calls[s.Sel.Name] = true
				}
				return true
			})
			if ending != "" {
				found[ending] = true
			}
			for _, lock := range ends[ending] {
				if !calls[lock] {
					t.Errorf("%s calls %s without %s", f.Name.Name, ending, lock)
				}
			}
		}
	}
	if len(found) != len(ends) {
		t.Errorf("of %v only %v are called", ends, found)
	}
}

// TestUnknownSecrets checks that an unknown secret is refused, also when it is repeated.
func TestUnknownSecrets(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	for _, text := range []string{
		"", "x", "a-secret-that-was-never-issued", strings.Repeat("A", 43), "rss_" + strings.Repeat("A", 43),
		"rsk_" + strings.Repeat("A", 43), "rsb_" + strings.Repeat("A", 43),
	} {
		session, _ := account.ParseSession(text)
		key, _ := account.ParseKey(text)
		for range 2 {
			_, errSession := d.LookUp(t.Context(), account.Credential{Session: session}, account.Use{})
			_, errKey := d.LookUp(t.Context(), account.Credential{Key: key}, account.Use{})
			if !errors.Is(errSession, account.ErrNoSession) || !errors.Is(errKey, account.ErrNoSession) {
				t.Errorf("%q: errors %v and %v, want ErrNoSession twice", text, errSession, errKey)
			}
		}
	}
}

// TestForgetAddresses checks that memory is returned, and that the next call of a caller is looked up as the first was.
func TestForgetAddresses(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	c, want := account.Credential{Session: opened.Token}, opened.Account.Address
	for range 2 {
		if caller, err := d.LookUp(t.Context(), c, account.Use{}); err != nil || caller.Account.Address != want {
			t.Errorf("caller %+v, error %v", caller, err)
		}
		if address, known := d.Remembered(c); !known || address != want {
			t.Errorf("remembered: %v, %v", address, known)
		}
		d.ForgetAddresses()
		if address, known := d.Remembered(c); known {
			t.Errorf("%v is still remembered", address)
		}
	}
}

// TestSecretsDoNotPrint checks that a secret prints as its kind.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	if got := opened.Token.String(); got != "secret of a session" {
		t.Errorf("a session's token prints as %q", got)
	}
	var key account.KeySecret
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		_, key, err = d.CreateKey(ctx, tx, opened.Account.Address, "a key", account.ScopeRead)
		return err
	})
	if got := key.GoString(); got != "secret of a key" || account.OfBot(key) {
		t.Errorf("a player's key prints as %q", got)
	}
}
