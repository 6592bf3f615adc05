-- +goose Up

-- The arena: ratings and their history, and the bots' queue. Ratings and deviations are in
-- millionths of a point, volatilities in millionths of a millionth; a pool is human or
-- bots.

-- One row per player and pool, from the first rated duel on.
CREATE TABLE arena_rating (
    pool        TEXT NOT NULL,
    address     BLOB NOT NULL,
    rating      INTEGER NOT NULL,
    deviation   INTEGER NOT NULL,
    volatility  INTEGER NOT NULL,
    games       INTEGER NOT NULL,
    wins        INTEGER NOT NULL,
    losses      INTEGER NOT NULL,
    draws       INTEGER NOT NULL,
    rivals      INTEGER NOT NULL,         -- number of opponents
    standing    INTEGER NOT NULL,         -- order on the board: rating, established ones above all others
    peak        INTEGER,                  -- the highest rating that was not provisional
    peak_at     INTEGER,
    last_played INTEGER NOT NULL,
    PRIMARY KEY (pool, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX arena_rating_rank ON arena_rating (pool, standing, address);

-- Ranks, as package rank keeps them: a pool is cut into blocks by standing and address. Each
-- block has its first position and its number of players. Rated duels append the changes of
-- ratings as pending, so that concurrent duels update no common row; a loop merges them.
CREATE TABLE arena_board (
    board   TEXT PRIMARY KEY,             -- the pool
    total   INTEGER NOT NULL,             -- players, without pending changes
    version INTEGER NOT NULL              -- rises with each merge
) STRICT, WITHOUT ROWID;
CREATE TABLE arena_block (
    board  TEXT NOT NULL,
    place  INTEGER NOT NULL,              -- standing
    member BLOB NOT NULL,                 -- address
    n      INTEGER NOT NULL,
    PRIMARY KEY (board, place, member)
) STRICT, WITHOUT ROWID;
CREATE TABLE arena_pending (
    id     INTEGER PRIMARY KEY,
    board  TEXT NOT NULL,
    member BLOB NOT NULL,
    was    INTEGER,                       -- standing before; null for none
    now    INTEGER                        -- standing after
) STRICT;
CREATE INDEX arena_pending_board ON arena_pending (board);

-- Rating changes of rated duels: two rows per duel, each the game_no-th of its player.
CREATE TABLE arena_change (
    pool             TEXT NOT NULL,
    address          BLOB NOT NULL,
    game_no          INTEGER NOT NULL,    -- 1, 2, … without a gap
    duel             TEXT NOT NULL,
    opponent         BLOB NOT NULL,
    outcome          TEXT NOT NULL,       -- win, loss or draw; void or restored for a correction
    rating_before    INTEGER NOT NULL,
    deviation_before INTEGER NOT NULL,
    rating           INTEGER NOT NULL,    -- after it
    deviation        INTEGER NOT NULL,
    volatility       INTEGER NOT NULL,
    opponent_rating  INTEGER NOT NULL,    -- before it
    played_at        INTEGER NOT NULL,
    peak             INTEGER,             -- of a correction: the player's peak before it
    PRIMARY KEY (pool, address, game_no)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX arena_change_duel ON arena_change (duel, address) WHERE outcome NOT IN ('void', 'restored');
CREATE UNIQUE INDEX arena_change_void ON arena_change (duel, address) WHERE outcome = 'void';
CREATE UNIQUE INDEX arena_change_restored ON arena_change (duel, address) WHERE outcome = 'restored';
-- In the order of time: what GET /api/data/ratings reads.
CREATE INDEX arena_change_played ON arena_change (played_at, pool, address, game_no);

-- The versions of bots: each has played the rated duels after the after_game-th, up to the first of the next version.
CREATE TABLE arena_version (
    address    BLOB NOT NULL,
    after_game INTEGER NOT NULL,
    version    TEXT NOT NULL,             -- '' for none
    since      INTEGER NOT NULL,
    PRIMARY KEY (address, after_game)
) STRICT, WITHOUT ROWID;

-- Each player's record against each opponent.
CREATE TABLE arena_opponent (
    pool        TEXT NOT NULL,
    address     BLOB NOT NULL,
    opponent    BLOB NOT NULL,
    games       INTEGER NOT NULL,
    wins        INTEGER NOT NULL,
    losses      INTEGER NOT NULL,
    draws       INTEGER NOT NULL,
    last_played INTEGER NOT NULL,
    PRIMARY KEY (pool, address, opponent)
) STRICT, WITHOUT ROWID;
CREATE INDEX arena_opponent_games ON arena_opponent (pool, address, games, opponent);

-- The state of each bot in the arena: waiting (since), in a ranked duel (duel), or
-- neither. One row per bot excludes two states at once.
CREATE TABLE arena_bot (
    address       BLOB PRIMARY KEY,
    owner         BLOB,                   -- null for a bot of the house
    network       BLOB,                   -- keyed hash of the network address while it waits; null if exempt
    charged       BLOB,                   -- while it waits: the network charged with its duel (package fairshare)
    rating        INTEGER NOT NULL,       -- at entry to the queue
    last_opponent BLOB,
    since         INTEGER,                -- start of waiting
    expires_at    INTEGER NOT NULL,       -- expiry of waiting
    duel          TEXT,                   -- its unfinished ranked duel
    version       INTEGER NOT NULL,
    CHECK (since IS NULL OR duel IS NULL)
) STRICT;
CREATE INDEX arena_bot_outside ON arena_bot (rating, address) WHERE since IS NOT NULL AND owner IS NOT NULL;
CREATE INDEX arena_bot_waiting ON arena_bot (since, address) WHERE since IS NOT NULL;

-- People in quick matches: waiting (since), in a duel (duel), or neither.
CREATE TABLE arena_quick (
    address       BLOB PRIMARY KEY,
    username      TEXT NOT NULL,
    kind          TEXT NOT NULL,          -- guest or account
    charged       BLOB,                   -- while it waits: the network charged with its duel (package fairshare)
    rating        INTEGER NOT NULL,       -- at entry to the queue
    last_opponent BLOB,
    since         INTEGER,                -- start of waiting
    expires_at    INTEGER NOT NULL,       -- expiry of waiting
    duel          TEXT,                   -- the last duel found
    version       INTEGER NOT NULL,
    CHECK (since IS NULL OR duel IS NULL)
) STRICT;
CREATE INDEX arena_quick_waiting ON arena_quick (rating, address) WHERE since IS NOT NULL;

-- The last pairing of two house bots, and the number of such pairings: one row.
CREATE TABLE arena_house (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    paired_at INTEGER NOT NULL,
    pairings  INTEGER NOT NULL
) STRICT;
INSERT INTO arena_house (id, paired_at, pairings) VALUES (1, 0, 0);
