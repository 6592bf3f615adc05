package app

import (
	"context"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
)

// leftoverKind is a kind of row that a deletion of an account, or the end of a key, must end or erase. Its query
// returns the account and the name of each row that is left.
type leftoverKind struct{ what, query string }

const (
	// ofDeleted ends queries about rows r of accounts a.
	ofDeleted = ` WHERE a.deleted_at IS NOT NULL`
	// afterDeletion is for rows that may outlive the account when they are older: they end by themselves. The
	// minute allows for differences between the clocks of nodes.
	afterDeletion = ofDeleted + ` AND a.deleted_at + 60000 < `
	// fewLeftovers bounds how many of a kind are named.
	fewLeftovers = ` ORDER BY 1, 2 LIMIT 100`
)

// leftoverKinds lists what could be left of an account. docs/adr/0028-authority-at-the-commit.md says why
// nothing is.
var leftoverKinds = []leftoverKind{
	{"session", `SELECT r.address, '' FROM session r JOIN account a ON a.address = r.address` + ofDeleted},
	{"password", `SELECT r.address, '' FROM credential r JOIN account a ON a.address = r.address` + ofDeleted},
	{"mailbox", `SELECT r.address, '' FROM email r JOIN account a ON a.address = r.address` + ofDeleted},
	{"link", `SELECT r.address, r.kind FROM magic_link r JOIN account a ON a.address = r.address` + ofDeleted},
	{"known browser", `SELECT r.address, '' FROM known_device r JOIN account a ON a.address = r.address` + ofDeleted},
	{"used network", `SELECT r.account, CAST(r.day AS TEXT) FROM account_network r
		JOIN account a ON a.address = r.account` + ofDeleted},
	{"key", `SELECT r.address, r.prefix FROM api_key r JOIN account a ON a.address = r.address` + ofDeleted},
	{"key of a revoked key", `SELECT r.address, r.prefix FROM api_key r JOIN api_key m ON m.key_id = r.made_by
		WHERE m.revoked_at IS NOT NULL AND r.revoked_at IS NULL`},
	{"bot", `SELECT r.address, b.username FROM bot r JOIN account b ON b.address = r.address
		JOIN account a ON a.address = r.owner` + ofDeleted + ` AND b.deleted_at IS NULL`},
	{"words of a bot", `SELECT r.address, r.version FROM bot r JOIN account a ON a.address = r.address` + ofDeleted +
		` AND r.version || r.description || r.hidden_reason <> ''`},
	{"version of a bot", `SELECT r.address, r.version FROM arena_version r
		JOIN account a ON a.address = r.address` + ofDeleted},
	{"stored answer", `SELECT r.account, r.name FROM idempotency r JOIN account a ON a.address = r.account` + ofDeleted},

	{"listing", `SELECT r.seller, CAST(r.listing_id AS TEXT) FROM market_listing r
		JOIN account a ON a.address = r.seller` + ofDeleted + ` AND r.status = 'active'`},
	{"offer", `SELECT r.seller, CAST(r.offer_id AS TEXT) FROM buyback_offer r
		JOIN account a ON a.address = r.seller` + afterDeletion + `r.offered_at AND r.status = 'open'`},
	{"run", `SELECT r.account, r.id FROM run r
		JOIN account a ON a.address = r.account` + afterDeletion + `r.started_at AND r.ended_at IS NULL`},
	// A duel in play goes on under the generated name, until its deadlines end it.
	{"duel", `SELECT r.a, r.code FROM duel r JOIN account a ON a.address = r.a` + ofDeleted + `
		AND (r.status = 'open' OR r.a_name <> a.username)`},
	{"duel as the opponent", `SELECT r.b, r.code FROM duel r JOIN account a ON a.address = r.b` + ofDeleted + `
		AND r.b_name <> a.username`},
	{"past opponents", `SELECT DISTINCT r.account, '' FROM duel_opponent r
		JOIN account a ON a.address = r.account` + ofDeleted},
	{"sent challenge", `SELECT r.account, '' FROM duel_challenger r JOIN account a ON a.address = r.account` + ofDeleted},
	{"received challenge", `SELECT r.opponent, '' FROM duel_challenger r
		JOIN account a ON a.address = r.opponent` + ofDeleted},
	{"setting of challenges", `SELECT r.account, '' FROM duel_setting r JOIN account a ON a.address = r.account` + ofDeleted},
	{"challenge", `SELECT r.invited, r.code FROM duel r JOIN account a ON a.address = r.invited` + ofDeleted},
	{"place in the bots' queue", `SELECT r.address, '' FROM arena_bot r
		JOIN account a ON a.address = r.address` + ofDeleted + ` AND r.since IS NOT NULL`},
	{"quick match", `SELECT r.address, '' FROM arena_quick r JOIN account a ON a.address = r.address` + ofDeleted},
	{"seat in cup", `SELECT r.address, CAST(r.cup AS TEXT) FROM cup_player r
		JOIN account a ON a.address = r.address` + ofDeleted + ` AND r.active = 1`},
	{"open cup", `SELECT r.creator, CAST(r.id AS TEXT) FROM cup r
		JOIN account a ON a.address = r.creator` + ofDeleted + ` AND r.status = 'open'`},
	{"team", `SELECT r.founder, r.slug FROM team r
		JOIN account a ON a.address = r.founder` + ofDeleted + ` AND r.members > 0`},
	{"membership in a team", `SELECT r.account, '' FROM team_member r JOIN account a ON a.address = r.account` + ofDeleted},
}

// leftovers names the rows that are left of deleted accounts and revoked keys.
func (d *doctor) leftovers(ctx context.Context) error {
	return d.view(ctx, func(ctx context.Context, tx *store.Tx, differ differing) error {
		for _, kind := range leftoverKinds {
			if err := kind.find(ctx, tx, differ); err != nil {
				return fmt.Errorf("%s: %w", kind.what, err)
			}
		}
		return nil
	})
}

// find names the rows of one kind.
func (k leftoverKind) find(ctx context.Context, tx *store.Tx, differ differing) (err error) {
	rows, err := tx.QueryContext(ctx, k.query+fewLeftovers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var address []byte
		var name string
		if err := rows.Scan(&address, &name); err != nil {
			return err
		}
		if len(address) != len(chain.Address{}) {
			return fmt.Errorf("an address of %d bytes", len(address))
		}
		what := k.what
		if name != "" {
			what += " " + name
		}
		differ(what, "ended with its account or key", "left of "+chain.Address(address).String())
	}
	return rows.Err()
}
