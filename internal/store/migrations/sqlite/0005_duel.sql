-- +goose Up

-- Duels: one row each, which a step reads once and writes once.
CREATE TABLE duel (
    seq          INTEGER PRIMARY KEY,
    code         TEXT NOT NULL UNIQUE,
    kind         TEXT NOT NULL,         -- open, spar, ranked, quick or cup
    status       TEXT NOT NULL,         -- open, active, finished, expired, cancelled, declined, void
    a            BLOB NOT NULL,
    a_name       TEXT NOT NULL,         -- name when the side joined
    a_kind       TEXT NOT NULL,         -- guest, account or bot
    b            BLOB,                 -- null until an opponent joins
    b_name       TEXT NOT NULL,
    b_kind       TEXT NOT NULL,
    stake        INTEGER NOT NULL,
    rated        INTEGER NOT NULL,         -- 0 or 1
    rounds       TEXT NOT NULL,         -- decided rounds in transcript format
    commitment_a BLOB,                 -- of the current round
    commitment_b BLOB,
    reveal_a     BLOB,                 -- move:salt; hidden until the round is decided
    reveal_b     BLOB,
    deadline     INTEGER NOT NULL,         -- of the next step; after the end, of the last one
    winner       TEXT NOT NULL,         -- a, b or empty
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,                  -- finished, expired, cancelled, declined or void
    stake_a_tx   BLOB,
    stake_b_tx   BLOB,
    settle_tx    BLOB,
    version      INTEGER NOT NULL,
    listed       INTEGER NOT NULL,         -- 0 or 1: shown in public lists
    rematch_of   TEXT NOT NULL,         -- code of the duel that this one follows, or empty
    rematch_by   TEXT NOT NULL,         -- a or b: the side that offers a rematch
    rematch_until INTEGER NOT NULL,        -- when that offer lapses
    rematch      TEXT NOT NULL,         -- code of the rematch, once it began
    network      BLOB,                  -- of a listed one, or of an open challenge: charged with it (package fairshare), on two days
    invited      BLOB,                  -- while open: the only account that may join
    invited_name TEXT NOT NULL,         -- its name then, or empty
    series_a     INTEGER NOT NULL,         -- duels that a has won in the chain of rematches before this one
    series_b     INTEGER NOT NULL,
    step_ms      INTEGER NOT NULL          -- the time for a step; 0 for the one of its kind and players
) STRICT;
CREATE INDEX duel_listed ON duel (seq) WHERE listed = 1;
CREATE INDEX duel_status ON duel (status, seq) WHERE listed = 1;
-- What a network has in the lists, and a /48 of IPv6.
CREATE INDEX duel_network ON duel (substr(network, 1, 8), status, seq) WHERE listed = 1 AND network IS NOT NULL;
CREATE INDEX duel_wide ON duel (substr(network, 17, 8), status, seq) WHERE listed = 1 AND length(network) = 32;
CREATE INDEX duel_a ON duel (a, seq);
CREATE INDEX duel_b ON duel (b, seq) WHERE b IS NOT NULL;
-- Unfinished duels; a step changes columns of the first index alone.
CREATE INDEX duel_deadline ON duel (deadline) WHERE ended_at IS NULL;
CREATE INDEX duel_unfinished_a ON duel (a, seq) WHERE ended_at IS NULL;
CREATE INDEX duel_unfinished_b ON duel (b, seq) WHERE ended_at IS NULL AND b IS NOT NULL;
CREATE INDEX duel_invited ON duel (invited, seq) WHERE invited IS NOT NULL;
-- Finished duels that lists or ratings show, by their end, all and of each side: what GET /api/data/duels reads.
CREATE INDEX duel_data ON duel (ended_at, seq) WHERE status = 'finished' AND (rated = 1 OR listed = 1);
CREATE INDEX duel_data_a ON duel (a, ended_at, seq) WHERE status = 'finished' AND (rated = 1 OR listed = 1);
CREATE INDEX duel_data_b ON duel (b, ended_at, seq) WHERE status = 'finished' AND (rated = 1 OR listed = 1);

-- The number of rated duels of a pair on a day: only a limited number counts, and
-- concurrent joins draw distinct numbers here.
CREATE TABLE duel_pair (
    low   BLOB NOT NULL,              -- the smaller of the two addresses
    high  BLOB NOT NULL,
    day   INTEGER NOT NULL,               -- days since 1970, UTC
    rated INTEGER NOT NULL,
    PRIMARY KEY (low, high, day)
) STRICT, WITHOUT ROWID;

-- The people whom an account has played: the results of their finished duels, from the account's side.
CREATE TABLE duel_opponent (
    account       BLOB NOT NULL,
    opponent      BLOB NOT NULL,
    wins          INTEGER NOT NULL,
    losses        INTEGER NOT NULL,
    draws         INTEGER NOT NULL,
    played_at     INTEGER NOT NULL,        -- the end of the last duel
    blocked       INTEGER NOT NULL,        -- 0 or 1: the account takes no challenges of the opponent
    PRIMARY KEY (account, opponent)
) STRICT, WITHOUT ROWID;
CREATE INDEX duel_opponent_played ON duel_opponent (account, played_at);

-- The last challenge of one account by another, for two days.
CREATE TABLE duel_challenger (
    account  BLOB NOT NULL,
    opponent BLOB NOT NULL,                -- who is challenged
    at       INTEGER NOT NULL,
    network  BLOB,                         -- charged with it (package fairshare), on two days; null for none
    PRIMARY KEY (account, opponent)
) STRICT, WITHOUT ROWID;
CREATE INDEX duel_challenger_opponent ON duel_challenger (opponent, at);
CREATE INDEX duel_challenger_at ON duel_challenger (at);

-- What an account has chosen about challenges of it. Without a row people take those of opponents whom they have
-- met, and bots take none.
CREATE TABLE duel_setting (
    account    BLOB PRIMARY KEY,
    takes      TEXT NOT NULL,              -- none, met or all
    quiet_from INTEGER,                    -- the quiet hours, in minutes after midnight UTC; null for none
    quiet_to   INTEGER
) STRICT, WITHOUT ROWID;
