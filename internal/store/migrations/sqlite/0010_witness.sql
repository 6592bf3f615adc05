-- +goose Up

-- What witnesses of the log have cosigned last (c2sp.org/tlog-witness), by their key.
CREATE TABLE log_cosignature (
    witness    TEXT PRIMARY KEY,          -- name+key id
    size       INTEGER NOT NULL,          -- blocks of the tree
    checkpoint TEXT NOT NULL,             -- as the log has signed it
    lines      TEXT NOT NULL              -- signature lines to be appended to it
) STRICT;
