-- +goose Up

-- SQLite compares texts by bytes already; this migration only keeps the numbers equal to PostgreSQL's.
SELECT 1;
