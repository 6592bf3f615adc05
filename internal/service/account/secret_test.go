package account_test

import (
	"reflect"
	"strings"
	"testing"

	"roshambo/internal/service/account"
)

// TestSecretsAreApart: the compiler takes no secret for one of another kind, not even by a conversion, and no text for
// a secret, so a mixed lookup does not build. Package reflect has the rules of the compiler.
func TestSecretsAreApart(t *testing.T) {
	t.Parallel()
	kinds := []reflect.Type{
		reflect.TypeFor[account.SessionToken](), reflect.TypeFor[account.KeySecret](), reflect.TypeFor[account.LinkToken](),
		reflect.TypeFor[account.ResetToken](), reflect.TypeFor[account.DeviceToken](), reflect.TypeFor[account.CSRF](),
		reflect.TypeFor[string](),
	}
	for i, from := range kinds {
		for j, to := range kinds {
			if i != j && (from.AssignableTo(to) || from.ConvertibleTo(to)) {
				t.Errorf("%v builds where %v is needed", from, to)
			}
		}
	}
}

// TestSecretForms: a text is a secret of the kind that its prefix names, and of no other one. Without a prefix it is a
// session or a known browser; with another length it is none.
func TestSecretForms(t *testing.T) {
	t.Parallel()
	key := func(text string) bool { _, ok := account.ParseKey(text); return ok }
	isKey := func(prefix string) bool { return prefix == "rsk_" || prefix == "rsb_" }
	parsers := map[string]func(text string) bool{
		"rss_": func(text string) bool { _, ok := account.ParseSession(text); return ok },
		"rsk_": key, "rsb_": key,
		"rsl_": func(text string) bool { return !account.ParseLink(text).None() },
		"rsr_": func(text string) bool { return !account.ParseReset(text).None() },
		"rsd_": func(text string) bool { return !account.ParseDevice(text).None() },
		"rsc_": func(text string) bool { return !account.ParseCSRF(text).None() },
	}
	for kind, parses := range parsers {
		for _, prefix := range []string{"rss_", "rsk_", "rsb_", "rsl_", "rsr_", "rsd_", "rsc_", "rso_", ""} {
			own := prefix == kind || isKey(prefix) && isKey(kind) || prefix == "" && (kind == "rss_" || kind == "rsd_")
			for length := 42; length <= 44; length++ {
				text := prefix + strings.Repeat("A", length)
				if want := length == 43 && own; parses(text) != want {
					t.Errorf("%s as a secret with the prefix %s: %v, want %v", text, kind, !want, want)
				}
			}
		}
	}
}
