-- +goose Up

-- Leases for tasks that one node performs at a time, such as sealing blocks. The holder
-- increments beat while it is alive; a node that takes over increments fence, so that late
-- writes of the previous holder are refused.
CREATE TABLE lease (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,                 -- process id; '' when released
    fence  INTEGER NOT NULL,
    beat   INTEGER NOT NULL
) STRICT;
