// Package team knows who plays together: teams of up to 20, each account in one at most.
//
// A team has a name, and a slug made of it that no other open team has. Who knows its
// code may join it, and anybody by its name unless it is private. The code is shown to
// members alone. When the founder leaves, the role goes to whoever has been there
// longest; when the last one leaves, the team is closed and its name free again.
//
// Guests may join and found teams: they are players like others. Bots may not; that is
// the interface's to say.
//
// Whoever comes or goes changes the team's row first, which holds it until the commit:
// on every engine the twenty-first of two at the same time finds no place.
package team

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/teamq"
)

// MaxMembers is how many a team has room for.
const MaxMembers = 20

// Team is a team that is open.
type Team struct {
	ID        int64
	Slug      string
	Name      string
	Private   bool
	Code      string // for members alone
	Founder   chain.Address
	Members   int64
	CreatedAt time.Time
}

// Member is somebody in a team.
type Member struct {
	Address  chain.Address
	Username string
	Kind     chain.AccountKind
	JoinedAt time.Time
}

// Errors of this package.
var (
	ErrNotFound  = errors.New("team: not found")
	ErrNameTaken = errors.New("team: the name is taken")
	ErrName      = errors.New("team: a name needs a letter or a digit, and nothing that cannot be seen")
	ErrInTeam    = errors.New("team: in a team already")
	ErrNoTeam    = errors.New("team: in no team")
	ErrFull      = errors.New("team: full")
	ErrPrivate   = errors.New("team: private, and the code is not its")
)

// Listener is told of what happens to teams, inside the same transaction.
type Listener interface {
	// TeamJoined is told of who founds or joins a team.
	TeamJoined(ctx context.Context, tx *store.Tx, j Joined) error
	// TeamClosed is told of a team that the last one has left.
	TeamClosed(ctx context.Context, tx *store.Tx, team int64) error
}

// Joined is somebody who has founded a team or joined it.
type Joined struct {
	Account chain.Address
	Team    int64
	Seq     int64 // no two of a team have the same
	At      time.Time
}

// Service is the use cases of teams. Its fields are set once, before use.
type Service struct {
	Now      func() time.Time
	Rand     io.Reader // crypto/rand when nil
	Listener Listener  // nil for none
}

// Slug makes of a name what stands in paths: its letters and digits in lower case, with
// a hyphen between words; "" when there are none.
func Slug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r != '\'' && r != '’': // it's one word
			gap = true
		}
	}
	return b.String()
}

// crockford is the alphabet of codes: no I, L, O or U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// ParseCode returns a code as it is stored: in upper case, with what looks like a digit
// read as one.
func ParseCode(code string) string {
	return strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(code))
}

func (s *Service) newCode() (string, error) {
	random := s.Rand
	if random == nil {
		random = rand.Reader
	}
	var b [5]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("team: randomness: %w", err)
	}
	return crockford.EncodeToString(b[:]), nil
}

// Create founds a team. Errors: ErrName, ErrNameTaken, ErrInTeam.
func (s *Service) Create(ctx context.Context, tx *store.Tx, founder chain.Address, name string, private bool) (*Team, error) {
	name = strings.Join(strings.Fields(name), " ") // no two spaces, and none around it
	t := &Team{Name: name, Slug: Slug(name), Private: private, Founder: founder, Members: 1, CreatedAt: s.now()}
	if t.Slug == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return nil, ErrName
	}
	if in, err := s.TeamOf(ctx, tx, founder); err != nil || in != 0 {
		return nil, first(err, ErrInTeam)
	}
	if _, err := s.BySlug(ctx, tx, t.Slug); !errors.Is(err, ErrNotFound) {
		return nil, first(err, ErrNameTaken)
	}
	var err error
	if t.Code, err = s.newCode(); err != nil {
		return nil, err
	}
	t.ID, err = q.New(tx).InsertTeam(ctx, q.InsertTeamParams{
		Slug: t.Slug, Name: t.Name, Private: flag(private), Code: t.Code, Founder: founder[:], CreatedAt: t.CreatedAt.UnixMilli()})
	if store.IsUnique(err) { // by somebody who was not to be seen yet
		return nil, ErrNameTaken
	}
	if err != nil {
		return nil, fmt.Errorf("team: create %s: %w", t.Slug, err)
	}
	return t, s.enter(ctx, tx, founder, t.ID, 0)
}

// Join joins the team that a code belongs to or, when it is not private, that has a name;
// what is not given is "". Errors: ErrNotFound, ErrPrivate, ErrInTeam, ErrFull.
func (s *Service) Join(ctx context.Context, tx *store.Tx, account chain.Address, name, code string) (*Team, error) {
	t, err := s.find(ctx, tx, Slug(name), ParseCode(code))
	if err != nil {
		return nil, err
	}
	if in, err := s.TeamOf(ctx, tx, account); err != nil || in != 0 {
		return nil, first(err, ErrInTeam)
	}
	seq, err := q.New(tx).AddMember(ctx, q.AddMemberParams{TeamID: t.ID, Most: MaxMembers})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrFull
	}
	if err != nil {
		return nil, fmt.Errorf("team: join %s: %w", t.Slug, err)
	}
	t.Members++
	return t, s.enter(ctx, tx, account, t.ID, seq)
}

// find returns the team that somebody wants to join.
func (s *Service) find(ctx context.Context, tx *store.Tx, slug, code string) (*Team, error) {
	if code == "" {
		t, err := s.BySlug(ctx, tx, slug)
		if err == nil && t.Private {
			err = ErrPrivate
		}
		return t, err
	}
	row, err := q.New(tx).GetByCode(ctx, code)
	t, err := fromRow(q.GetBySlugRow(row), err)
	if errors.Is(err, ErrNotFound) && slug != "" {
		if _, err = s.BySlug(ctx, tx, slug); err == nil {
			err = ErrPrivate // the team is there, and the code is another's
		}
	}
	if err == nil && slug != "" && slug != t.Slug {
		err = ErrPrivate
	}
	return t, err
}

// enter makes an account a member of a team that counts it already.
func (s *Service) enter(ctx context.Context, tx *store.Tx, account chain.Address, team, seq int64) error {
	now := s.now()
	err := q.New(tx).InsertMember(ctx, q.InsertMemberParams{Account: account[:], TeamID: team, JoinedAt: now.UnixMilli(), Seq: seq})
	if store.IsUnique(err) { // joined another one at the same time
		return ErrInTeam
	}
	if err != nil {
		return fmt.Errorf("team: enter %d: %w", team, err)
	}
	if s.Listener == nil {
		return nil
	}
	return s.Listener.TeamJoined(ctx, tx, Joined{account, team, seq, now})
}

// Leave takes an account out of its team, and returns the team as it was. Errors:
// ErrNoTeam.
func (s *Service) Leave(ctx context.Context, tx *store.Tx, account chain.Address) (*Team, error) {
	id, err := s.TeamOf(ctx, tx, account)
	if err != nil || id == 0 {
		return nil, first(err, ErrNoTeam)
	}
	t, err := s.ByID(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	return t, s.leave(ctx, tx, account, id)
}

func (s *Service) leave(ctx context.Context, tx *store.Tx, account chain.Address, id int64) error {
	queries := q.New(tx)
	left, err := queries.RemoveMember(ctx, id)
	if err != nil {
		return fmt.Errorf("team: leave %d: %w", id, err)
	}
	n, err := queries.DeleteMember(ctx, q.DeleteMemberParams{Account: account[:], TeamID: id})
	if err != nil || n != 1 {
		return first(err, ErrNoTeam) // has left at the same time
	}
	switch {
	case left.Members == 0 && s.Listener != nil:
		return s.Listener.TeamClosed(ctx, tx, id)
	case left.Members > 0 && chain.Address(left.Founder) == account:
		eldest, err := queries.Eldest(ctx, id)
		if err != nil {
			return fmt.Errorf("team: next founder of %d: %w", id, err)
		}
		return queries.SetFounder(ctx, q.SetFounderParams{Founder: eldest, TeamID: id})
	}
	return nil
}

// TeamOf returns the number of the account's team, 0 for none.
func (s *Service) TeamOf(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error) {
	id, err := q.New(tx).TeamOf(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("team: of %v: %w", account, err)
	}
	return id, nil
}

// BySlug returns a team. Errors: ErrNotFound.
func (s *Service) BySlug(ctx context.Context, tx *store.Tx, slug string) (*Team, error) {
	return fromRow(q.New(tx).GetBySlug(ctx, slug))
}

// ByID returns a team. Errors: ErrNotFound.
func (s *Service) ByID(ctx context.Context, tx *store.Tx, id int64) (*Team, error) {
	row, err := q.New(tx).GetByID(ctx, id)
	return fromRow(q.GetBySlugRow(row), err)
}

// Members returns who is in a team, the longest-standing first.
func (s *Service) Members(ctx context.Context, tx *store.Tx, team int64) ([]Member, error) {
	rows, err := q.New(tx).ListMembers(ctx, team)
	if err != nil {
		return nil, fmt.Errorf("team: members of %d: %w", team, err)
	}
	list := make([]Member, len(rows))
	for i, r := range rows {
		list[i] = Member{chain.Address(r.Account), r.Username, chain.AccountKind(r.Kind), column.Time(r.JoinedAt)}
	}
	return list, nil
}

// List returns up to count teams before one, the newest first.
func (s *Service) List(ctx context.Context, tx *store.Tx, before, count int64) ([]*Team, error) {
	rows, err := q.New(tx).ListTeams(ctx, q.ListTeamsParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("team: list: %w", err)
	}
	list := make([]*Team, len(rows))
	for i, r := range rows {
		if list[i], err = fromRow(q.GetBySlugRow(r), nil); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func fromRow(r q.GetBySlugRow, err error) (*Team, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("team: %w", err)
	}
	return &Team{
		ID: r.TeamID, Slug: r.Slug, Name: r.Name, Private: r.Private != 0, Code: r.Code, Founder: chain.Address(r.Founder),
		Members: r.Members, CreatedAt: column.Time(r.CreatedAt),
	}, nil
}

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// first returns err, or otherwise what stands for it.
func first(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
