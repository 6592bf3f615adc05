// Package team manages teams of up to MaxMembers accounts; an account is in one team at most.
//
// A team has a name, and a slug derived from it that is unique among open teams. An account
// joins a public team by name, and any team by its code, which only members see. When the
// founder leaves, the member with the longest membership becomes the founder; when the last
// member leaves, the team is closed and its name is free again.
//
// Guests may create and join teams like other players. Bots may not: the API refuses them.
//
// Joining and leaving first update the team's row, which locks it until the commit: of
// concurrent joins that would exceed MaxMembers one gets ErrFull, on every engine.
package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/teamq"
)

// MaxMembers is the largest number of members of a team.
const MaxMembers = 20

// Team is an open team.
type Team struct {
	ID        int64
	Slug      string
	Name      string
	Private   bool
	Code      string // secret of the members
	Founder   chain.Address
	Members   int64 // number of members
	CreatedAt time.Time
	// Of a team whose name an operator has hidden: Name and Slug are generated.
	HiddenName   string // the founder's choice; "" for a team whose name shows
	HiddenReason string // public
}

// Member is an account in a team.
type Member struct {
	Address  chain.Address
	Username string
	Kind     chain.AccountKind
	JoinedAt time.Time
}

// Errors of this package.
var (
	ErrNotFound  = errors.New("team: not found")
	ErrNameTaken = errors.New("team: the name is taken or reserved")
	ErrName      = errors.New("team: a name needs a letter or a digit, and 60 characters at most")
	ErrInTeam    = errors.New("team: already in a team")
	ErrNoTeam    = errors.New("team: not in a team")
	ErrFull      = errors.New("team: full")
	ErrPrivate   = errors.New("team: the team is private, or the code is wrong")
)

// Listener receives changes of teams inside their transaction; its error rolls them back.
type Listener interface {
	// TeamJoined is called when an account creates or joins a team.
	TeamJoined(ctx context.Context, tx *store.Tx, j Joined) error
	// TeamRenamed is called when the name of a team is hidden or shown again.
	TeamRenamed(ctx context.Context, tx *store.Tx, team int64) error
	// TeamClosed is called when the last member leaves a team.
	TeamClosed(ctx context.Context, tx *store.Tx, team int64) error
}

// Joined describes an account that created or joined a team.
type Joined struct {
	Account chain.Address
	Team    int64
	Seq     int64 // unique within the team, in the order of joining
	At      time.Time
}

// Service implements the use cases of teams. Its fields are set once, before use.
type Service struct {
	Listener Listener // nil for none
}

// crockford encodes codes in Crockford's Base32 alphabet, without I, L, O and U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// newCode returns a random code of 40 bits, 8 characters.
func newCode() string {
	var b [5]byte
	rand.Read(b[:])
	return crockford.EncodeToString(b[:])
}

// Create creates a team with the caller as founder and member. Errors: ErrName, ErrNameTaken,
// names.ErrText, names.ErrScripts, ErrInTeam.
func (s *Service) Create(
	ctx context.Context, tx *store.Tx, founder chain.Address, name string, private bool,
) (*Team, error) {
	t, err := newTeam(name, private, founder, tx.Now())
	if err != nil {
		return nil, err
	}
	current, err := s.TeamOf(ctx, tx, founder)
	if err != nil {
		return nil, err
	}
	if current != 0 {
		return nil, ErrInTeam
	}
	t.Code = newCode()
	t.ID, err = q.New(tx).InsertTeam(ctx, q.InsertTeamParams{
		Slug: t.Slug, Fold: names.Fold(t.Name), Name: t.Name, Private: column.Bool(private), Code: t.Code,
		Founder: founder[:], CreatedAt: t.CreatedAt.UnixMilli()})
	if store.IsUnique(err) { // another team has the slug, or looks alike
		return nil, ErrNameTaken
	}
	if err != nil {
		return nil, fmt.Errorf("team: create %s: %w", t.Slug, err)
	}
	return t, s.insertMember(ctx, tx, founder, t.ID, 0)
}

// Join adds the caller to the team with a code or, if it is public, with a name. One of the
// two may be ""; with both they must belong to the same team. Errors: ErrNotFound,
// ErrPrivate, ErrInTeam, ErrFull.
func (s *Service) Join(ctx context.Context, tx *store.Tx, account chain.Address, name, code string) (*Team, error) {
	slug, code := Slug(name), ParseCode(code)
	t, err := s.find(ctx, tx, slug, code)
	if err != nil {
		return nil, err
	}
	current, err := s.TeamOf(ctx, tx, account)
	if err != nil {
		return nil, err
	}
	if err := t.mayJoin(slug, code, current); err != nil {
		return nil, err
	}
	seq, err := q.New(tx).AddMember(ctx, q.AddMemberParams{TeamID: t.ID, Most: MaxMembers})
	if errors.Is(err, sql.ErrNoRows) { // a concurrent transaction took the last seat
		return nil, ErrFull
	}
	if err != nil {
		return nil, fmt.Errorf("team: join %s: %w", t.Slug, err)
	}
	t.Members++
	return t, s.insertMember(ctx, tx, account, t.ID, seq)
}

// find returns the team with a code or, if code is "", with a slug. Errors: ErrNotFound, ErrPrivate when
// the code belongs to another team than the named one.
func (s *Service) find(ctx context.Context, tx *store.Tx, slug, code string) (*Team, error) {
	if code == "" {
		return s.BySlug(ctx, tx, slug)
	}
	row, err := q.New(tx).GetByCode(ctx, code)
	t, err := found(q.GetBySlugRow(row), err)
	if errors.Is(err, ErrNotFound) && slug != "" {
		_, err = s.BySlug(ctx, tx, slug)
		return nil, cmp.Or(err, ErrPrivate) // the named team exists: the code is wrong
	}
	return t, err
}

// insertMember stores the membership of an account that the team's row counts already.
func (s *Service) insertMember(ctx context.Context, tx *store.Tx, account chain.Address, team, seq int64) error {
	now := tx.Now()
	err := q.New(tx).InsertMember(ctx, q.InsertMemberParams{
		Account: account[:], TeamID: team, JoinedAt: now.UnixMilli(), Seq: seq})
	if store.IsUnique(err) { // a concurrent transaction made the account a member of a team
		return ErrInTeam
	}
	if err != nil {
		return fmt.Errorf("team: insert member of %d: %w", team, err)
	}
	if s.Listener == nil {
		return nil
	}
	return s.Listener.TeamJoined(ctx, tx, Joined{Account: account, Team: team, Seq: seq, At: now})
}

// Leave removes the caller from its team, and returns the team as it was before. Errors:
// ErrNoTeam.
func (s *Service) Leave(ctx context.Context, tx *store.Tx, account chain.Address) (*Team, error) {
	id, err := s.TeamOf(ctx, tx, account)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		return nil, ErrNoTeam
	}
	t, err := s.ByID(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	return t, s.leave(ctx, tx, account, id)
}

// leave removes a member, and appoints the next founder or reports the closed team.
func (s *Service) leave(ctx context.Context, tx *store.Tx, account chain.Address, id int64) error {
	queries := q.New(tx)
	left, err := queries.RemoveMember(ctx, id)
	if err != nil {
		return fmt.Errorf("team: leave %d: %w", id, err)
	}
	n, err := queries.DeleteMember(ctx, q.DeleteMemberParams{Account: account[:], TeamID: id})
	if err != nil {
		return fmt.Errorf("team: leave %d: %w", id, err)
	}
	if n != 1 { // a concurrent transaction removed the member
		return ErrNoTeam
	}
	switch {
	case left.Members == 0 && s.Listener != nil:
		return s.Listener.TeamClosed(ctx, tx, id)
	case left.Members > 0 && chain.Address(left.Founder) == account:
		oldest, err := queries.OldestMember(ctx, id)
		if err != nil {
			return fmt.Errorf("team: next founder of %d: %w", id, err)
		}
		return queries.SetFounder(ctx, q.SetFounderParams{Founder: oldest, TeamID: id})
	}
	return nil
}

// TeamOf returns the id of the account's team, 0 for none.
func (s *Service) TeamOf(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error) {
	id, err := q.New(tx).TeamOf(ctx, account[:])
	if err != nil {
		return 0, store.Absent(err, nil, "team: of %v", account)
	}
	return id, nil
}

// BySlug returns an open team. Errors: ErrNotFound.
func (s *Service) BySlug(ctx context.Context, tx *store.Tx, slug string) (*Team, error) {
	return found(q.New(tx).GetBySlug(ctx, slug))
}

// ByID returns an open team. Errors: ErrNotFound.
func (s *Service) ByID(ctx context.Context, tx *store.Tx, id int64) (*Team, error) {
	row, err := q.New(tx).GetByID(ctx, id)
	return found(q.GetBySlugRow(row), err)
}

// Members returns the members of a team in the order of joining.
func (s *Service) Members(ctx context.Context, tx *store.Tx, team int64) ([]Member, error) {
	rows, err := q.New(tx).ListMembers(ctx, team)
	if err != nil {
		return nil, fmt.Errorf("team: members of %d: %w", team, err)
	}
	list := make([]Member, len(rows))
	for i, r := range rows {
		list[i] = Member{
			Address: chain.Address(r.Account), Username: r.Username, Kind: chain.AccountKind(r.Kind),
			JoinedAt: column.Time(r.JoinedAt),
		}
	}
	return list, nil
}

// List returns up to count open teams with ids below before, the newest first.
func (s *Service) List(ctx context.Context, tx *store.Tx, before, count int64) ([]*Team, error) {
	rows, err := q.New(tx).ListTeams(ctx, q.ListTeamsParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("team: list: %w", err)
	}
	list := make([]*Team, len(rows))
	for i, r := range rows {
		list[i] = fromRow(q.GetBySlugRow(r))
	}
	return list, nil
}

// found returns the team of the row that a query found. Errors: ErrNotFound for sql.ErrNoRows.
func found(r q.GetBySlugRow, err error) (*Team, error) {
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "team")
	}
	return fromRow(r), nil
}

// fromRow returns the team of a row.
func fromRow(r q.GetBySlugRow) *Team {
	return &Team{
		ID: r.TeamID, Slug: r.Slug, Name: r.Name, Private: r.Private != 0, Code: r.Code,
		Founder: chain.Address(r.Founder), Members: r.Members, CreatedAt: column.Time(r.CreatedAt),
		HiddenName: r.HiddenName, HiddenReason: r.HiddenReason,
	}
}
