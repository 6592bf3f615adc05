-- +goose Up

-- SQLite orders texts by their bytes already; the number is PostgreSQL's.
SELECT 1;
