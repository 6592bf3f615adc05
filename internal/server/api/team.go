package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

// players are the schemes of the operations that bots may not use.
var players = []string{sessionScheme, keyScheme}

// The code of a private team is a secret of its members: only they see it, and validation errors do
// not repeat it. Points count for the team that an account was in when it earned them.

// teamOperations registers the operations on teams.
func (a *API) teamOperations() {
	op := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{
			ID: id, Method: "POST", Path: path, Tag: "Teams", Summary: summary, Security: players,
			Errors: may(append(errors, "unauthenticated", "csrf_failed", "forbidden", "conflict")...),
		}
	}
	add(a, contract.Operation{
		ID: "listTeams", Method: "GET", Path: "/api/teams", Tag: "Teams", Summary: "Teams, the newest first",
		Description: "GET /api/leaderboard?board=teams ranks them by points.", Errors: may("bad_request"),
	}, (*call).listTeams)
	add(a, op("createTeam", "/api/teams", "Create a team", "team_name_taken", "in_team"), (*call).createTeam)
	add(a, op("joinTeam", "/api/teams/join",
		"Join a team by its code or, when it is public, by its name",
		"not_found", "in_team", "team_full", "team_private"), (*call).joinTeam)
	leave := op("leaveTeam", "/api/teams/leave", "Leave the team; it closes with its last member", "no_team")
	add(a, leave, (*call).leaveTeam)
	add(a, contract.Operation{
		ID: "getTeam", Method: "GET", Path: "/api/teams/{slug}", Tag: "Teams",
		Summary:  "A team with its members; members also see its code",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated", "not_found"),
	}, (*call).getTeam)
}

// Team is a team in a list.
type Team struct {
	Slug         string  `json:"slug" doc:"For paths."`
	Name         string  `json:"name"`
	Private      bool    `json:"private" doc:"Whether joining requires the code."`
	MemberCount  int64   `json:"member_count" doc:"At most 20."`
	CreatedAt    Time    `json:"created_at"`
	HiddenReason *string `json:"hidden_reason" doc:"Why an operator has hidden the team's own name; null while it shows."`
}

// wireTeam returns the wire form of a team in a list.
func wireTeam(t *team.Team) Team {
	return Team{Slug: t.Slug, Name: t.Name, Private: t.Private, MemberCount: t.Members, CreatedAt: Time{t.CreatedAt},
		HiddenReason: given(t.HiddenReason)}
}

// TeamDetail is a team with its members.
type TeamDetail struct {
	Team
	Founder string       `json:"founder" doc:"Username."`
	Code    *string      `json:"code" doc:"The code for joining; null unless the caller is a member."`
	You     *string      `json:"you" enum:"member,founder" doc:"The caller's role."`
	Points  int64        `json:"points" doc:"This season's points that members earned while in the team."`
	Rank    *int64       `json:"rank" doc:"Among teams, this season; null without points."`
	Members []TeamMember `json:"members" doc:"The longest-standing first."`
}

// TeamMember is a member of a team.
type TeamMember struct {
	Username     string `json:"username"`
	Address      string `json:"address"`
	ShortAddress string `json:"short_address"`
	Kind         string `json:"kind" known:"guest,account,bot"`
	Founder      bool   `json:"founder"`
	JoinedAt     Time   `json:"joined_at"`
	Points       int64  `json:"points" doc:"Earned for the team this season."`
}

// TeamOut is a team, with the caller's own team.
type TeamOut struct {
	Team     TeamDetail `json:"team"`
	YourTeam *TeamLink  `json:"your_team" doc:"The caller's team; null without one. A member of a team cannot join another."`
}

// TeamLink names a team and its path.
type TeamLink struct {
	Slug string `json:"slug" doc:"For paths."`
	Name string `json:"name"`
}

// teamOut reads a team as the caller may see it: only members see its code.
func (a *call) teamOut(ctx context.Context, tx *store.Tx, t *team.Team) (*TeamOut, error) {
	me, now := a.viewer(), tx.Now()
	out := TeamDetail{Team: wireTeam(t), Members: []TeamMember{}}
	members, err := a.Teams.Members(ctx, tx, t.ID)
	if err != nil {
		return nil, err
	}
	earned, err := a.Score.TeamPoints(ctx, tx, now, t.ID)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		founder := m.Address == t.Founder
		if founder {
			out.Founder = m.Username
		}
		if m.Address == me && me != (chain.Address{}) {
			you := "member"
			if founder {
				you = "founder"
			}
			out.You, out.Code = &you, &t.Code
		}
		out.Members = append(out.Members, TeamMember{
			Username: m.Username, Address: m.Address.String(), ShortAddress: m.Address.Short(), Kind: string(m.Kind),
			Founder: founder, JoinedAt: Time{m.JoinedAt}, Points: earned[m.Address]})
	}
	row, err := a.Score.TeamRow(ctx, tx, now, t.ID)
	if err != nil {
		return nil, err
	}
	// A team without points has no place on the board.
	if row != nil {
		out.Points, out.Rank = row.Value, &row.Rank
	}
	yours, err := a.teamOf(ctx, tx, me)
	return &TeamOut{Team: out, YourTeam: yours}, err
}

// teamOf returns the team of an account; nil for none and for the zero address.
func (a *API) teamOf(ctx context.Context, tx *store.Tx, account chain.Address) (*TeamLink, error) {
	if account == (chain.Address{}) {
		return nil, nil
	}
	id, err := a.Teams.TeamOf(ctx, tx, account)
	if err != nil || id == 0 {
		return nil, err
	}
	t, err := a.Teams.ByID(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	return &TeamLink{Slug: t.Slug, Name: t.Name}, nil
}

// teamIn names a team by its slug.
type teamIn struct {
	Slug string `path:"slug"`
}

// getTeam reads a team by its slug. Errors: team.ErrNotFound.
func (a *call) getTeam(ctx context.Context, in *teamIn) (*TeamOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*TeamOut, error) {
		t, err := a.Teams.BySlug(ctx, tx, in.Slug)
		if err != nil {
			return nil, err
		}
		return a.teamOut(ctx, tx, t)
	})
}

// listTeamsIn selects a page of teams.
type listTeamsIn struct {
	Limit  int64   `query:"limit" default:"50" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// TeamsOut is a page of teams.
type TeamsOut struct {
	Teams []Team  `json:"teams"`
	Next  *string `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listTeams reads a page of teams, the newest first.
func (a *call) listTeams(ctx context.Context, in *listTeamsIn) (*TeamsOut, error) {
	before, err := parseCursor(in.Cursor, cursorTeams)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*TeamsOut, error) {
		list, err := a.Teams.List(ctx, tx, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &TeamsOut{}
		out.Teams, out.Next = paged(list, in.Limit, wireTeam, func(t *team.Team) *string { return cursor(cursorTeams, t.ID) })
		return out, nil
	})
}

// CreateTeamIn is the body of POST /api/teams.
type CreateTeamIn struct {
	Name    string `json:"name" required:"true" minLength:"1" maxLength:"60" pattern:"^[^\\x00]*$" doc:"It needs a letter or a digit; the slug is derived from it."`
	Private bool   `json:"private" default:"false" doc:"Whether joining requires the code."`
}

// createTeam creates a team with the caller as its founder and first member.
func (a *call) createTeam(ctx context.Context, in *body[CreateTeamIn]) (*TeamOut, error) {
	me := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*TeamOut, error) {
		t, err := a.Teams.Create(ctx, tx, me, in.Body.Name, in.Body.Private)
		if err != nil {
			return nil, err
		}
		return a.teamOut(ctx, tx, t)
	})
}

// JoinTeamIn is the body of POST /api/teams/join.
type JoinTeamIn struct {
	Name *string  `json:"name" maxLength:"60" doc:"The name or slug of a public team. A name, a code, or both are required."`
	Code *string  `json:"code" maxLength:"16" secret:"true" doc:"The code of the team, in any case."`
	_    struct{} `some:"name,code"`
}

// joinTeam adds the caller to a team by code or by the name of a public team.
func (a *call) joinTeam(ctx context.Context, in *body[JoinTeamIn]) (*TeamOut, error) {
	me := a.caller.address
	name, code := deref(in.Body.Name), deref(in.Body.Code)
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*TeamOut, error) {
		t, err := a.Teams.Join(ctx, tx, me, name, code)
		if err != nil {
			return nil, err
		}
		return a.teamOut(ctx, tx, t)
	})
}

// LeaveTeamOut is the answer to POST /api/teams/leave.
type LeaveTeamOut struct {
	Left string `json:"left" doc:"The slug of the team."`
}

// leaveTeam removes the caller from the team. A team without members is closed.
func (a *call) leaveTeam(ctx context.Context, _ *none) (*LeaveTeamOut, error) {
	me := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*LeaveTeamOut, error) {
		t, err := a.Teams.Leave(ctx, tx, me)
		if err != nil {
			return nil, err
		}
		return &LeaveTeamOut{t.Slug}, nil
	})
}
