-- +goose Up

-- Cups: tournaments over ordinary duels. The games of a cup determine its standings.
CREATE TABLE cup (
    id          INTEGER PRIMARY KEY, -- the cup's number
    kind        TEXT NOT NULL,           -- bots or people
    status      TEXT NOT NULL,           -- open, running, finished, cancelled
    creator     BLOB,                   -- its host; null for the service
    created_at  INTEGER NOT NULL,
    starts_at   INTEGER NOT NULL,         -- of one by hand: when it lapses; once its host has started it, when it starts
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
    network     BLOB,                -- of the creator: charged with it (package fairshare), on two days
    name        TEXT,                    -- null for none
    fold        TEXT,                    -- of the name (package names)
    system      TEXT NOT NULL,           -- swiss or round_robin
    most_rounds INTEGER NOT NULL,         -- the host's limit; 0 for none
    code        TEXT,                    -- of a private cup: only with it can one join, and it is in no list
    house_bots  INTEGER NOT NULL,         -- 0 or 1: they join at the start
    seats       INTEGER NOT NULL,
    step_ms     INTEGER NOT NULL,         -- the time for a step of its duels; 0 for that of any duel
    replay      INTEGER NOT NULL,         -- 0 or 1: a duel that a side missed is played once more
    host_plays  INTEGER NOT NULL,         -- 0 or 1: whether the host joined it when opening it
    by_hand     INTEGER NOT NULL,         -- 1: waits for its host
    paused_until INTEGER,                  -- no round begins before; null if no pause
    hidden_reason TEXT NOT NULL DEFAULT '', -- public: why an operator has hidden the name; '' while it shows
    listed      INTEGER NOT NULL DEFAULT 1 -- 0: beyond the share of its network as its tag went, so in no list
) STRICT;
CREATE INDEX cup_unfinished ON cup (starts_at) WHERE ended_at IS NULL;
-- The service opens one cup for bots at a time, on any node.
CREATE UNIQUE INDEX cup_service ON cup (kind) WHERE kind = 'bots' AND status = 'open' AND creator IS NULL;
-- The unfinished cups of a host, and their names.
CREATE INDEX cup_host ON cup (creator, id) WHERE ended_at IS NULL AND creator IS NOT NULL;
CREATE UNIQUE INDEX cup_name ON cup (fold) WHERE ended_at IS NULL AND fold IS NOT NULL;

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

-- Players, or owners of bots, whom the host has removed before the start: they do not join again.
CREATE TABLE cup_removed (
    cup     INTEGER NOT NULL,
    account BLOB NOT NULL,
    PRIMARY KEY (cup, account)
) STRICT, WITHOUT ROWID;

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
    replayed INTEGER NOT NULL,            -- 1: the duel is the second one, as a side missed the first
    played   INTEGER NOT NULL DEFAULT 0,  -- 1: two reveals decided a round of the duel
    PRIMARY KEY (cup, round, board)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX cup_game_duel ON cup_game (duel) WHERE duel IS NOT NULL;
