package api

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"roshambo/chain/replay"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/market"
	"roshambo/internal/service/team"
)

// TestTagsStateLimits compares the limits in the texts of fields with the constants that they repeat: a
// tag cannot be built from a constant.
func TestTagsStateLimits(t *testing.T) {
	t.Parallel()
	recent := fmt.Sprintf("within %d minutes of signing in", account.RecentSignIn/time.Minute)
	month := fmt.Sprintf("%d days", market.Month/market.Day)
	for _, c := range []struct {
		of    any
		field string
		want  string
	}{
		{RatingRecord{}, "Rating", fmt.Sprintf("%v before the first rated duel", points(glicko.Newcomer.Rating))},
		{RatingRecord{}, "Provisional", fmt.Sprintf("above %v,", arena.Provisional/glicko.Point)},
		{RatingRecord{}, "Provisional", fmt.Sprintf("with %d different opponents", arena.MinRivals)},
		{Email{}, "Password", recent},
		{AccountDeletion{}, "Password", recent},
		{PasswordChange{}, "Current", recent},
		{MailboxRemoval{}, "Password", recent},
		{Account{}, "Username", "At most 32 characters."},
		{AddressState{}, "Tokens", fmt.Sprintf("The first %d.", maxTokensShown)},
		{VerifyOut{}, "Problems", fmt.Sprintf("The first %d.", replay.KeptProblems)},
		{VerifyOut{}, "VerifiedAt", fmt.Sprintf("the last %d seconds", sharedVerification/time.Second)},
		{Cup{}, "Players", fmt.Sprintf("at most %d.", cup.MaxPlayers)},
		{TierMarket{}, "Volume24h", fmt.Sprintf("the last %d hours", market.Day/time.Hour)},
		{TierMarket{}, "Volume30d", month},
		{ReferencePrice{}, "Basis", month},
		{ReferenceValue{}, "N", month},
		{PricesOut{}, "Sales", fmt.Sprintf("The last %d of", lastSales)},
		{SearchOut{}, "Results", fmt.Sprintf("at most %d of each", maxHits)},
		{FinalTable{}, "Raw", fmt.Sprintf("The first %d,%03d rows", tables.SeasonRows/1000, tables.SeasonRows%1000)},
		{Team{}, "MemberCount", fmt.Sprintf("At most %d.", team.MaxMembers)},
		{TokenState{}, "Owners", fmt.Sprintf("at most %d.", ledger.MaxTokenHistory+1)},
		{TokenState{}, "Transactions", fmt.Sprintf("at most %d.", ledger.MaxTokenHistory)},
		{TVOut{}, "Viewers", fmt.Sprintf("the last %d seconds", viewerSpan/time.Second)},
	} {
		field, ok := reflect.TypeOf(c.of).FieldByName(c.field)
		if text := field.Tag.Get("doc"); !ok || !strings.Contains(text, c.want) {
			t.Errorf("%T.%s says %q, want %q in it", c.of, c.field, text, c.want)
		}
	}
	if !strings.Contains(account.UsernamePattern, ",32}") {
		t.Errorf("usernames %s, where texts say 32 characters", account.UsernamePattern)
	}
}
