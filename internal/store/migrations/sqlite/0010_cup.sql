-- +goose Up

-- Cups: Swiss tournaments over ordinary duels. The games of a cup determine its standings.
CREATE TABLE cup (
    id          INTEGER PRIMARY KEY, -- the cup's number
    kind        TEXT NOT NULL,           -- bots or people
    status      TEXT NOT NULL,           -- open, running, finished, cancelled
    creator     BLOB,                   -- null for the service
    created_at  INTEGER NOT NULL,
    starts_at   INTEGER NOT NULL,
    ended_at    INTEGER,
    players     INTEGER NOT NULL,         -- who have joined
    rounds      INTEGER NOT NULL,         -- planned; 0 until it starts
    round       INTEGER NOT NULL,         -- the last one that was paired
    seed_height INTEGER,                  -- of the block whose hash decides the pairings
    seed        BLOB,
    raw         TEXT,                    -- the final table, once finished
    hash        BLOB,
    tx          BLOB,                   -- cup.close
    version     INTEGER NOT NULL,
    network     BLOB                -- of the creator: charged with it (package fairshare), on two days
) STRICT;
CREATE INDEX cup_unfinished ON cup (starts_at) WHERE ended_at IS NULL;
-- The service opens one cup for bots at a time, on any node.
CREATE UNIQUE INDEX cup_service ON cup (kind) WHERE kind = 'bots' AND status = 'open';

-- What a network has in the list, and a /48 of IPv6.
CREATE INDEX cup_network ON cup (substr(network, 1, 8), id) WHERE network IS NOT NULL;
CREATE INDEX cup_wide ON cup (substr(network, 17, 8), id) WHERE length(network) = 32;

CREATE TABLE cup_player (
    cup       INTEGER NOT NULL,
    address   BLOB NOT NULL,
    owner     BLOB,                     -- of a bot; null for the house's
    joined_at INTEGER NOT NULL,
    active    INTEGER NOT NULL,           -- 1: will be paired in the next round
    withdrawn INTEGER NOT NULL,           -- 1: has left, or did not show up; stays when the cup is over
    place     INTEGER,                    -- the rank in the final table
    network   BLOB,                  -- charged with the seat (package fairshare), until the cup starts
    PRIMARY KEY (cup, address)
) STRICT, WITHOUT ROWID;
-- An account is in one unfinished cup at a time.
CREATE UNIQUE INDEX cup_player_active ON cup_player (address) WHERE active = 1;
CREATE INDEX cup_player_address ON cup_player (address, cup);
-- Medals: the places among the first three.
CREATE INDEX cup_player_medal ON cup_player (address, cup) WHERE place <= 3;

-- Pairings. A bye has no b and no duel.
CREATE TABLE cup_game (
    cup      INTEGER NOT NULL,
    round    INTEGER NOT NULL,
    board    INTEGER NOT NULL,
    a        BLOB NOT NULL,
    b        BLOB,
    duel     TEXT,
    a_points INTEGER,                     -- 2 win, 1 draw, 0 loss; null while the duel goes on
    b_points INTEGER,
    ended_at INTEGER,
    PRIMARY KEY (cup, round, board)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX cup_game_duel ON cup_game (duel) WHERE duel IS NOT NULL;
