package account_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"roshambo/internal/service/account"
)

// TestCheckNewPassword checks which new passwords are refused, each for one reason alone, and that a service without
// RefuseWeak accepts all of them.
func TestCheckNewPassword(t *testing.T) {
	t.Parallel()
	strict, lax := &account.Service{RefuseWeak: true}, &account.Service{}
	for password, weak := range map[string]bool{
		"password1": true, "PassWord1": true, // among the commonest, in any case
		"kea-of-fjordland": true, "Kea_of_Fjordland": true, // the name
		"        ": true, "\t\t\t\t\n\n\n\n": true, // space
		"\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008": true, // control characters
		"\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800": true, // blank Braille
		"\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b": true, // of no width
		"\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164": true, // fillers
		"mossy stone 7": false, "kea-of-fjordland and more": false, "       x": false,
	} {
		if err := strict.CheckNewPassword(password, "kea-of-fjordland"); errors.Is(err, account.ErrWeakPassword) != weak {
			t.Errorf("%q: %v, want weak: %v", password, err, weak)
		}
		if err := lax.CheckNewPassword(password, "kea-of-fjordland"); err != nil {
			t.Errorf("%q without RefuseWeak: %v", password, err)
		}
	}
}

// TestCommonPasswords: the list has the passwords of 8 characters or more among the 10,000 commonest ones, and each is
// refused in any letter case.
func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("common-passwords.txt")
	if err != nil {
		t.Fatal(err)
	}
	const count = 3534 // as tools/common-passwords finds among the 10,000
	list := strings.Fields(string(text))
	if len(list) != count || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != count {
		t.Errorf("%d passwords, want %d in order", len(list), count)
	}
	for _, common := range []string{"12345678", "baseball", "football", "iloveyou", "jennifer", "midnight", "princess",
		"qwertyui", "sunshine", "superman", "trustno1", "whatever", "zaq12wsx"} {
		if !slices.Contains(list, common) {
			t.Errorf("%s is not in the list", common)
		}
	}
	strict := &account.Service{RefuseWeak: true}
	for _, password := range list {
		for _, spelling := range []string{password, strings.ToUpper(password)} {
			if err := strict.CheckNewPassword(spelling, "kea-of-fjordland"); !errors.Is(err, account.ErrWeakPassword) {
				t.Errorf("%q: %v, want it refused", spelling, err)
			}
		}
		if len(password) < 8 || password != strings.ToLower(password) {
			t.Errorf("%q is in the list in vain", password)
		}
	}
}
