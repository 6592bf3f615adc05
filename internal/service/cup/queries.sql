-- name: InsertCup :one
INSERT INTO cup (kind, status, creator, created_at, starts_at, players, rounds, round, version, network, name, fold,
                 system, most_rounds, code, house_bots, seats, step_ms, replay, host_plays, by_hand)
VALUES (sqlc.arg(kind), 'open', sqlc.narg(creator), sqlc.arg(created_at), sqlc.arg(starts_at), 0, 0, 0, 1,
        sqlc.narg(network), sqlc.narg(name), sqlc.narg(fold), sqlc.arg(system), sqlc.arg(most_rounds), sqlc.narg(code),
        sqlc.arg(house_bots), sqlc.arg(seats), sqlc.arg(step_ms), sqlc.arg(replay), sqlc.arg(host_plays),
        sqlc.arg(by_hand))
RETURNING id;

-- name: GetCup :one
SELECT id, kind, status, creator, created_at, starts_at, ended_at, players, rounds, round, seed_height, seed, raw, hash,
       tx, version, network, name, fold, system,
       most_rounds, code, house_bots, seats, step_ms, replay, host_plays, by_hand, paused_until, hidden_reason,
       listed
FROM cup WHERE id = $1;

-- name: ListCups :many
-- Cups before a number, newest first, without private ones, cancelled ones and those beyond the shares of their networks: of an
-- address or /64 the newest 2, of a /48 the newest 5.
SELECT c.id, c.kind, c.status, c.creator, c.created_at, c.starts_at, c.ended_at, c.players, c.rounds, c.round,
       c.seed_height, c.seed, c.raw, c.hash, c.tx, c.version, c.network, c.name, c.fold, c.system,
       c.most_rounds, c.code, c.house_bots, c.seats, c.step_ms, c.replay, c.host_plays, c.by_hand, c.paused_until,
       c.hidden_reason, c.listed
FROM cup c
WHERE c.id < sqlc.arg(before) AND c.listed = 1 AND c.status <> 'cancelled' AND c.code IS NULL
  AND (c.network IS NULL OR (
      SELECT x.id FROM cup x
      WHERE substr(x.network, 1, 8) IN (substr(c.network, 1, 8), substr(c.network, 9, 8)) AND x.id > c.id AND x.status <> 'cancelled'
        AND x.network IS NOT NULL AND x.code IS NULL
      LIMIT 1 OFFSET 1) IS NULL)
  AND (c.network IS NULL OR length(c.network) < 32 OR (
      SELECT y.id FROM cup y
      WHERE substr(y.network, 17, 8) IN (substr(c.network, 17, 8), substr(c.network, 25, 8)) AND y.id > c.id AND y.status <> 'cancelled'
        AND length(y.network) = 32 AND y.code IS NULL
      LIMIT 1 OFFSET 4) IS NULL)
ORDER BY c.id DESC LIMIT sqlc.arg(count);

-- name: HideCupsBeyondShares :exec
-- Takes the cups beyond the shares of ListCups, whose tags DropCupNetworks is to delete, from the list.
UPDATE cup SET listed = 0
WHERE id IN (
    SELECT c.id FROM cup c
    WHERE c.network IS NOT NULL AND c.created_at < sqlc.arg(before)
      AND ((
          SELECT x.id FROM cup x
          WHERE substr(x.network, 1, 8) IN (substr(c.network, 1, 8), substr(c.network, 9, 8)) AND x.id > c.id
            AND x.status <> 'cancelled' AND x.network IS NOT NULL AND x.code IS NULL
          LIMIT 1 OFFSET 1) IS NOT NULL
        OR length(c.network) = 32 AND (
          SELECT y.id FROM cup y
          WHERE substr(y.network, 17, 8) IN (substr(c.network, 17, 8), substr(c.network, 25, 8)) AND y.id > c.id
            AND y.status <> 'cancelled' AND length(y.network) = 32 AND y.code IS NULL
          LIMIT 1 OFFSET 4) IS NOT NULL));

-- name: DropCupNetworks :exec
UPDATE cup SET network = NULL WHERE network IS NOT NULL AND created_at < sqlc.arg(before);

-- name: DropSeatNetworks :exec
-- The seats of a cup are counted until it starts.
UPDATE cup_player SET network = NULL WHERE network IS NOT NULL AND joined_at < sqlc.arg(before)
  AND cup NOT IN (SELECT id FROM cup WHERE starts_at > sqlc.arg(now));

-- name: SeatNetworks :many
SELECT network FROM cup_player WHERE cup = sqlc.arg(cup) AND network IS NOT NULL;

-- name: DueCups :many
-- Cups after a number that run, unless they are paused or a game goes on, and open ones whose time has come.
SELECT c.id FROM cup c
WHERE c.ended_at IS NULL AND c.starts_at <= sqlc.arg(now) AND c.id > sqlc.arg(after)
  AND (c.paused_until IS NULL OR c.paused_until <= sqlc.arg(now))
  AND NOT EXISTS (SELECT 1 FROM cup_game g WHERE g.cup = c.id AND g.round = c.round AND g.ended_at IS NULL)
ORDER BY c.id LIMIT sqlc.arg(count);

-- name: CountOf :one
-- The service's own cups of a kind, and those of them that are open.
SELECT count(*) AS total, cast(coalesce(sum(CASE WHEN status = 'open' THEN 1 ELSE 0 END), 0) AS BIGINT) AS open
FROM cup WHERE kind = sqlc.arg(kind) AND creator IS NULL;

-- name: TakePlace :execrows
-- Counts one more player, unless the cup is full or has started.
UPDATE cup SET players = players + 1, version = version + 1
WHERE id = sqlc.arg(id) AND status = 'open' AND starts_at > sqlc.arg(now) AND players < seats;

-- name: GivePlace :execrows
UPDATE cup SET players = players - 1, version = version + 1 WHERE id = sqlc.arg(id) AND status = 'open';

-- name: StartRound :execrows
-- A compare-and-swap: of two nodes that pair a round, one succeeds.
UPDATE cup
SET status = 'running', players = sqlc.arg(players), rounds = sqlc.arg(rounds), round = round + 1,
    seed_height = sqlc.narg(seed_height), seed = sqlc.narg(seed), paused_until = NULL, version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: EndCup :execrows
UPDATE cup
SET status = sqlc.arg(status), ended_at = sqlc.narg(ended_at), raw = sqlc.narg(raw), hash = sqlc.narg(hash),
    tx = sqlc.narg(tx), paused_until = NULL, version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: InsertPlayer :execrows
-- Affects no row if the player is in this cup, or in another unfinished one.
INSERT INTO cup_player (cup, address, owner, joined_at, active, withdrawn, network)
VALUES (sqlc.arg(cup), sqlc.arg(address), sqlc.narg(owner), sqlc.arg(joined_at), 1, 0, sqlc.narg(network))
ON CONFLICT DO NOTHING;

-- name: CountOwners :one
-- The players of a cup that belong to an owner.
SELECT count(*) FROM cup_player WHERE cup = sqlc.arg(cup) AND owner = sqlc.arg(owner);

-- name: DeletePlayer :execrows
DELETE FROM cup_player WHERE cup = sqlc.arg(cup) AND address = sqlc.arg(address);

-- name: Withdraw :execrows
UPDATE cup_player SET active = 0, withdrawn = 1
WHERE cup = sqlc.arg(cup) AND address = sqlc.arg(address) AND active = 1;

-- name: ReleasePlayers :exec
-- Frees the players of a cup that is over. Those who have withdrawn stay marked.
UPDATE cup_player SET active = 0 WHERE cup = sqlc.arg(cup) AND active = 1;

-- name: ListPlayers :many
SELECT p.address, p.owner, p.active, p.withdrawn, p.place, a.username, a.kind
FROM cup_player p JOIN account a ON a.address = p.address
WHERE p.cup = sqlc.arg(cup) ORDER BY p.joined_at, p.address;

-- name: ListGames :many
SELECT round, board, a, b, duel, a_points, b_points, ended_at FROM cup_game
WHERE cup = sqlc.arg(cup) ORDER BY round, board;

-- name: InsertGame :exec
INSERT INTO cup_game (cup, round, board, a, b, duel, a_points, b_points, ended_at, replayed)
VALUES (sqlc.arg(cup), sqlc.arg(round), sqlc.arg(board), sqlc.arg(a), sqlc.narg(b), sqlc.narg(duel),
        sqlc.narg(a_points), sqlc.narg(b_points), sqlc.narg(ended_at), 0);

-- name: EndGame :one
-- Stores the result of a duel and returns its cup; no row for a duel of no cup.
UPDATE cup_game
SET a_points = sqlc.narg(a_points), b_points = sqlc.narg(b_points), ended_at = sqlc.narg(ended_at),
    played = sqlc.arg(played)
WHERE duel = sqlc.narg(duel) AND ended_at IS NULL
RETURNING cup, round;

-- name: CountPlayed :one
SELECT count(*) FROM cup_game WHERE cup = sqlc.arg(cup) AND played = 1;

-- name: ReplayOf :one
-- The cup whose game a duel is, if the game may be played once more.
SELECT g.cup FROM cup_game g JOIN cup c ON c.id = g.cup
WHERE g.duel = sqlc.narg(duel) AND g.ended_at IS NULL AND g.replayed = 0 AND c.replay = 1;

-- name: ReplayGame :execrows
UPDATE cup_game SET duel = sqlc.narg(next), replayed = 1
WHERE duel = sqlc.narg(duel) AND ended_at IS NULL AND replayed = 0;

-- name: HostCups :many
-- The unfinished cups of a host, newest first.
SELECT id, kind, status, creator, created_at, starts_at, ended_at, players, rounds, round, seed_height, seed, raw, hash,
       tx, version, network, name, fold, system,
       most_rounds, code, house_bots, seats, step_ms, replay, host_plays, by_hand, paused_until, hidden_reason,
       listed
FROM cup WHERE creator = sqlc.narg(creator) AND ended_at IS NULL ORDER BY id DESC;

-- name: HostCup :execrows
-- What the host decides of an unfinished cup. A compare-and-swap, which protects the row until the commit.
UPDATE cup
SET starts_at = sqlc.arg(starts_at), by_hand = sqlc.arg(by_hand), paused_until = sqlc.narg(paused_until),
    rounds = sqlc.arg(rounds), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND ended_at IS NULL;

-- name: InsertRemoved :exec
INSERT INTO cup_removed (cup, account) VALUES (sqlc.arg(cup), sqlc.arg(account)) ON CONFLICT DO NOTHING;

-- name: CountRemoved :one
SELECT count(*) FROM cup_removed WHERE cup = sqlc.arg(cup) AND account = sqlc.arg(account);

-- name: DropRemoved :exec
DELETE FROM cup_removed WHERE cup = sqlc.arg(cup);

-- name: WithdrawFromHosts :exec
-- Takes a player out of a running cup that a host has opened.
UPDATE cup_player SET active = 0, withdrawn = 1
WHERE address = sqlc.arg(address) AND active = 1
  AND cup IN (SELECT id FROM cup WHERE creator IS NOT NULL AND status = 'running');

-- name: SeatOf :one
-- The unfinished cup of a player, and the player's duel in its current round if that goes on.
SELECT c.id, c.kind, c.status, c.starts_at, c.by_hand, c.paused_until,
       CAST(coalesce((SELECT g.duel FROM cup_game g
                      WHERE g.cup = c.id AND g.round = c.round AND g.ended_at IS NULL
                        AND (g.a = p.address OR g.b = p.address)), '') AS TEXT) AS duel
FROM cup_player p JOIN cup c ON c.id = p.cup
WHERE p.address = sqlc.arg(address) AND p.active = 1;

-- name: SetPlace :exec
UPDATE cup_player SET place = sqlc.narg(place) WHERE cup = sqlc.arg(cup) AND address = sqlc.arg(address);

-- name: PlacesOf :many
-- A player's places in finished cups, newest first, without private ones.
SELECT c.id, c.kind, c.ended_at, c.players, p.place
FROM cup_player p JOIN cup c ON c.id = p.cup
WHERE p.address = sqlc.arg(address) AND c.status = 'finished' AND c.code IS NULL
ORDER BY p.cup DESC LIMIT sqlc.arg(count);

-- name: MedalsOf :many
-- A player's places among the first three of finished cups, newest first, without private ones and those in which no
-- duel was played.
SELECT c.id, c.kind, c.ended_at, c.players, c.hash, p.place
FROM cup_player p JOIN cup c ON c.id = p.cup
WHERE p.address = sqlc.arg(address) AND p.place <= 3 AND c.code IS NULL
  AND EXISTS (SELECT 1 FROM cup_game g WHERE g.cup = c.id AND g.played = 1)
ORDER BY p.cup DESC LIMIT sqlc.arg(count);

-- name: Winners :many
-- The winners of finished cups with numbers in a range.
SELECT p.cup, p.address, a.username FROM cup_player p JOIN account a ON a.address = p.address
WHERE p.cup >= sqlc.arg(low) AND p.cup <= sqlc.arg(high) AND p.place = 1
ORDER BY p.cup, p.address;

-- name: Finished :many
-- Finished cups after a number.
SELECT id, kind, status, creator, created_at, starts_at, ended_at, players, rounds, round, seed_height, seed, raw, hash,
       tx, version, network, name, fold, system,
       most_rounds, code, house_bots, seats, step_ms, replay, host_plays, by_hand, paused_until, hidden_reason,
       listed
FROM cup WHERE status = 'finished' AND id > sqlc.arg(after) ORDER BY id LIMIT sqlc.arg(count);

-- name: SetHidden :exec
-- Hides the name of a cup for a reason, or shows it again for ''.
UPDATE cup SET hidden_reason = sqlc.arg(reason) WHERE id = sqlc.arg(id);
