-- +goose Up

-- Which node does what one node alone is to do at a time, such as sealing blocks. A
-- holder raises its beat as long as it lives; whoever takes the lease over raises the
-- fence, so that what an old holder still tries can be refused.
CREATE TABLE lease (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,                 -- of the process; '' while it was given back
    fence  BIGINT NOT NULL,
    beat   BIGINT NOT NULL
);
