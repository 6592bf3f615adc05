-- +goose Up

-- Points, boards, seasons, achievements and the feed, which package score derives from
-- player activity. All tables except the facts, the feed and the closed seasons can be
-- rebuilt from the facts.

-- Reports of the services to package score, inserted in the transactions that cause them.
-- A loop processes them, and deletes them in the transaction that stores the results.
CREATE TABLE score_inbox (
    id         INTEGER PRIMARY KEY,       -- processing order
    posted_at  INTEGER NOT NULL,
    kind       TEXT NOT NULL,             -- run, duel, sale, buyback, team, team_closed, renamed
    account    BLOB NOT NULL,             -- the first side of a duel, the seller; empty for a closed team
    other      BLOB,                      -- the other side, the buyer
    team       INTEGER NOT NULL,          -- of the account, or the closed team; 0 for none
    other_team INTEGER NOT NULL,          -- of the other account
    body       TEXT NOT NULL,             -- JSON: the rest
    network    BLOB                      -- charged with the feed items (package fairshare)
) STRICT;

-- Reports that failed to process, unchanged: they are retried when a node starts
-- processing.
CREATE TABLE score_refused (
    id         INTEGER PRIMARY KEY,
    posted_at  INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    account    BLOB NOT NULL,
    other      BLOB,
    team       INTEGER NOT NULL,
    other_team INTEGER NOT NULL,
    body       TEXT NOT NULL,
    error      TEXT NOT NULL,
    refused_at INTEGER NOT NULL
) STRICT;

CREATE TABLE score_step (                 -- one row, swapped when a node processes reports or closes a season
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL               -- of steps stored so far
) STRICT;
INSERT INTO score_step (id, number) VALUES (1, 0);

-- Facts: each scored action of an account once.
-- The negative points, season and team of a void result are those that it counts with again when it is restored.
CREATE TABLE score_fact (
    account BLOB NOT NULL,
    id      TEXT NOT NULL,                -- run:…, duel:…, sale:…, purchase:…, buyback:…, team:…
    kind    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    result  TEXT NOT NULL,                -- of a run or duel: how it ended
    points  INTEGER NOT NULL,
    season  INTEGER NOT NULL,             -- to which the points count
    team    INTEGER NOT NULL,             -- of the account; 0 for none
    entry   TEXT NOT NULL,                -- of a run
    day     INTEGER NOT NULL,             -- of a daily run; otherwise 0
    unranked INTEGER NOT NULL,            -- 1 for a daily run that is not on the day's board
    tier    INTEGER NOT NULL,             -- cleared or traded
    first   INTEGER NOT NULL,             -- the first tier of a run
    throws  INTEGER NOT NULL,
    coins   INTEGER NOT NULL,             -- stake or price
    aside   INTEGER NOT NULL,             -- 0 unless the week's board and the team leave the points out
    other   BLOB,                         -- the other side of a duel
    PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX score_fact_earned ON score_fact (account, at) WHERE points <> 0;
CREATE INDEX score_fact_team ON score_fact (team, season, account, points) WHERE team > 0;

-- The points of accounts on a UTC day by the networks that they are charged to (account_network), for two days.
CREATE TABLE score_network (
    account BLOB NOT NULL,
    day     INTEGER NOT NULL,
    tag     BLOB NOT NULL,
    times   INTEGER NOT NULL,
    points  INTEGER NOT NULL,             -- of the account on that day, whatever networks it is charged to
    at      INTEGER NOT NULL,             -- of the last of these points
    secured INTEGER NOT NULL,             -- 1 if the account had been secured for 3 days as the day began
    best    INTEGER NOT NULL,             -- 1 if it is one of the network's best accounts of the day
    PRIMARY KEY (account, day, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX score_network_tag ON score_network (day, tag, best);

-- Counters of an account for its achievements: one row, swapped by version.
CREATE TABLE score_player (
    account BLOB PRIMARY KEY,
    counts  TEXT NOT NULL,                -- JSON
    version INTEGER NOT NULL
) STRICT;

-- Entries of the boards. A smaller place is better: it encodes all criteria; equal places
-- are ordered by member.
CREATE TABLE score_entry (
    member BLOB NOT NULL,                 -- an address, or a team's number in 8 bytes
    board  INTEGER NOT NULL,              -- kind and number, see package score
    place  INTEGER NOT NULL,
    value  INTEGER NOT NULL,
    ref    TEXT NOT NULL,                 -- the run, on a board of runs
    PRIMARY KEY (member, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX score_entry_place ON score_entry (board, place, member);

-- Ranks without counting: a board is divided into blocks of some hundred entries, each
-- with its first place and its number of entries. Changes are queued here rather than
-- counted at once, since all writers would update the same rows; a loop folds them into
-- the blocks.
CREATE TABLE score_board (
    board   INTEGER PRIMARY KEY,
    total   INTEGER NOT NULL,             -- entries without queued changes
    version INTEGER NOT NULL              -- incremented by every fold
) STRICT;
CREATE TABLE score_block (
    board  INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    member BLOB NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (board, place, member)
) STRICT, WITHOUT ROWID;
CREATE TABLE score_change (
    id     INTEGER PRIMARY KEY,
    board  INTEGER NOT NULL,
    member BLOB NOT NULL,
    was    INTEGER,                       -- place before; null for none
    now    INTEGER                        -- place after
) STRICT;
CREATE INDEX score_change_board ON score_change (board);

-- Closed seasons with their final tables, whose hashes are on the chain.
CREATE TABLE score_season (
    season    INTEGER PRIMARY KEY,
    players   INTEGER NOT NULL,
    raw       TEXT NOT NULL,
    hash      BLOB NOT NULL,
    tx        BLOB NOT NULL,
    closed_at INTEGER NOT NULL
) STRICT;

-- Feed: notable public events.
CREATE TABLE score_feed (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at   INTEGER NOT NULL,
    body TEXT NOT NULL,                   -- JSON
    account BLOB,                        -- whose name the item shows
    hidden  TEXT NOT NULL DEFAULT '',     -- the reason for which an operator has hidden it
    network BLOB                          -- charged with it (package fairshare), on two days
) STRICT;
CREATE INDEX score_feed_network ON score_feed (at) WHERE network IS NOT NULL;

-- The tiers that players have claimed, for the feed: the first claim of each is an item.
CREATE TABLE score_first (
    tier INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL                 -- of the first claim that was reduced
) STRICT;

CREATE TABLE team (
    team_id    INTEGER PRIMARY KEY,
    slug       TEXT NOT NULL,
    fold       TEXT NOT NULL,             -- equal for names that look alike (package names)
    name       TEXT NOT NULL,
    private    INTEGER NOT NULL,          -- 0 or 1
    code       TEXT NOT NULL,             -- invitation code
    founder    BLOB NOT NULL,
    members    INTEGER NOT NULL CHECK (members BETWEEN 0 AND 20), -- 0: closed
    created_at INTEGER NOT NULL,
    version    INTEGER NOT NULL,          -- incremented by every join and leave
    -- An operator has hidden the name: name and slug are generated ones.
    hidden_name   TEXT NOT NULL DEFAULT '', -- the founder's choice
    hidden_reason TEXT NOT NULL DEFAULT ''  -- public
) STRICT;
-- Slugs, looks and codes are unique among open teams.
CREATE UNIQUE INDEX team_slug ON team (slug) WHERE members > 0;
CREATE UNIQUE INDEX team_fold ON team (fold) WHERE members > 0;
CREATE UNIQUE INDEX team_code ON team (code) WHERE members > 0;

CREATE TABLE team_member (
    account   BLOB PRIMARY KEY,           -- at most one team per account
    team_id   INTEGER NOT NULL REFERENCES team (team_id),
    joined_at INTEGER NOT NULL,
    seq       INTEGER NOT NULL            -- order of joining: the team's version at the time
) STRICT;
CREATE UNIQUE INDEX team_member_team ON team_member (team_id, seq);
