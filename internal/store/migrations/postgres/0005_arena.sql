-- +goose Up

-- The arena: ratings and their history, and the bots' queue. Ratings and deviations are in
-- millionths of a point, volatilities in millionths of a millionth; a pool is human or
-- bots.

-- One row per player and pool, from the first rated duel on.
CREATE TABLE arena_rating (
    pool        TEXT NOT NULL,
    address     BYTEA NOT NULL,
    rating      BIGINT NOT NULL,
    deviation   BIGINT NOT NULL,
    volatility  BIGINT NOT NULL,
    games       BIGINT NOT NULL,
    wins        BIGINT NOT NULL,
    losses      BIGINT NOT NULL,
    draws       BIGINT NOT NULL,
    peak        BIGINT,                  -- the highest rating that was not provisional
    peak_at     BIGINT,
    last_played BIGINT NOT NULL,
    PRIMARY KEY (pool, address)
);
CREATE INDEX arena_rating_rank ON arena_rating (pool, rating, address);

-- The number of players in each rating bucket of 4 points, in several shards so that
-- concurrent duels do not wait for one another: a rank is the sum of a few rows and the
-- count within one bucket.
CREATE TABLE arena_count (
    pool    TEXT NOT NULL,
    bucket  BIGINT NOT NULL,             -- rating / 4 points, rounded down
    shard   BIGINT NOT NULL,
    players BIGINT NOT NULL,
    PRIMARY KEY (pool, bucket, shard)
);

-- Rating changes of rated duels: two rows per duel, each the game_no-th of its player.
CREATE TABLE arena_change (
    pool             TEXT NOT NULL,
    address          BYTEA NOT NULL,
    game_no          BIGINT NOT NULL,    -- 1, 2, … without a gap
    duel             TEXT NOT NULL,
    opponent         BYTEA NOT NULL,
    outcome          TEXT NOT NULL,       -- win, loss or draw
    rating_before    BIGINT NOT NULL,
    deviation_before BIGINT NOT NULL,
    rating           BIGINT NOT NULL,    -- after it
    deviation        BIGINT NOT NULL,
    volatility       BIGINT NOT NULL,
    opponent_rating  BIGINT NOT NULL,    -- before it
    played_at        BIGINT NOT NULL,
    PRIMARY KEY (pool, address, game_no)
);
CREATE UNIQUE INDEX arena_change_duel ON arena_change (duel, address);

-- Each player's record against each opponent.
CREATE TABLE arena_opponent (
    pool        TEXT NOT NULL,
    address     BYTEA NOT NULL,
    opponent    BYTEA NOT NULL,
    games       BIGINT NOT NULL,
    wins        BIGINT NOT NULL,
    losses      BIGINT NOT NULL,
    draws       BIGINT NOT NULL,
    last_played BIGINT NOT NULL,
    PRIMARY KEY (pool, address, opponent)
);
CREATE INDEX arena_opponent_games ON arena_opponent (pool, address, games, opponent);

-- The state of each bot in the arena: waiting (since), in a ranked duel (duel), or
-- neither. One row per bot excludes two states at once.
CREATE TABLE arena_bot (
    address       BYTEA PRIMARY KEY,
    owner         BYTEA,                   -- null for a bot of the house
    rating        BIGINT NOT NULL,       -- at entry to the queue
    last_opponent BYTEA,
    since         BIGINT,                -- start of waiting
    expires_at    BIGINT NOT NULL,       -- expiry of waiting
    duel          TEXT,                   -- its unfinished ranked duel
    version       BIGINT NOT NULL,
    CHECK (since IS NULL OR duel IS NULL)
);
CREATE INDEX arena_bot_outside ON arena_bot (rating, address) WHERE since IS NOT NULL AND owner IS NOT NULL;
CREATE INDEX arena_bot_waiting ON arena_bot (since, address) WHERE since IS NOT NULL;

-- Time of the last pairing of house bots: one row.
CREATE TABLE arena_house (
    id        BIGINT PRIMARY KEY CHECK (id = 1),
    paired_at BIGINT NOT NULL
);
INSERT INTO arena_house (id, paired_at) VALUES (1, 0);
