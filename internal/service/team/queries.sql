-- name: InsertTeam :one
INSERT INTO team (slug, fold, name, private, code, founder, members, created_at, version)
VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 0) RETURNING team_id;

-- name: GetBySlug :one
SELECT team_id, slug, name, private, code, founder, members, created_at, hidden_name, hidden_reason FROM team WHERE slug = $1 AND members > 0;

-- name: GetByCode :one
SELECT team_id, slug, name, private, code, founder, members, created_at, hidden_name, hidden_reason FROM team WHERE code = $1 AND members > 0;

-- name: GetByID :one
SELECT team_id, slug, name, private, code, founder, members, created_at, hidden_name, hidden_reason FROM team WHERE team_id = $1 AND members > 0;

-- name: SetHidden :exec
UPDATE team SET slug = sqlc.arg(slug), fold = sqlc.arg(fold), name = sqlc.arg(name),
    hidden_name = sqlc.arg(hidden_name), hidden_reason = sqlc.arg(reason) WHERE team_id = sqlc.arg(team_id);

-- name: AddMember :one
-- Counts a new member and locks the team until the commit, so that concurrent joins cannot
-- exceed the limit. The version numbers the members in the order of joining.
UPDATE team SET members = members + 1, version = version + 1
WHERE team_id = $1 AND members > 0 AND members < sqlc.arg(most) RETURNING version;

-- name: RemoveMember :one
UPDATE team SET members = members - 1, version = version + 1
WHERE team_id = $1 AND members > 0 RETURNING members, founder;

-- name: SetFounder :exec
UPDATE team SET founder = sqlc.arg(founder) WHERE team_id = sqlc.arg(team_id);

-- name: InsertMember :exec
INSERT INTO team_member (account, team_id, joined_at, seq) VALUES ($1, $2, $3, $4);

-- name: DeleteMember :execrows
DELETE FROM team_member WHERE account = $1 AND team_id = $2;

-- name: TeamOf :one
SELECT team_id FROM team_member WHERE account = $1;

-- name: OldestMember :one
SELECT account FROM team_member WHERE team_id = $1 ORDER BY seq LIMIT 1;

-- name: ListMembers :many
SELECT m.account, m.joined_at, a.username, a.kind
FROM team_member m JOIN account a ON a.address = m.account
WHERE m.team_id = $1 ORDER BY m.seq;

-- name: ListTeams :many
SELECT team_id, slug, name, private, code, founder, members, created_at, hidden_name, hidden_reason FROM team
WHERE team_id < sqlc.arg(before) AND members > 0 ORDER BY team_id DESC LIMIT sqlc.arg(count);
