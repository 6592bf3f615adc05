package db_test

import (
	"testing"

	"roshambo/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestEngine(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, dbtest.Open)
}

func TestCrash(t *testing.T) {
	t.Parallel()
	dbtest.Crash(t)
}
