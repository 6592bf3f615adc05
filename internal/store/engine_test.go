package store_test

import (
	"testing"

	"roshambo/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Open)
}

func TestCrash(t *testing.T) {
	t.Parallel()
	storetest.Crash(t)
}
