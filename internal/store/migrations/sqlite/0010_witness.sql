-- +goose Up

-- The latest cosignatures of the log by witness (c2sp.org/tlog-witness).
CREATE TABLE log_cosignature (
    witness    TEXT PRIMARY KEY,          -- name+key id
    size       INTEGER NOT NULL,          -- blocks of the tree
    checkpoint TEXT NOT NULL,             -- as signed by the log
    lines      TEXT NOT NULL              -- signature lines to append
) STRICT;
