package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"roshambo/internal/db"
	"roshambo/internal/ledger"
	"roshambo/verify"
)

// openStored opens the database of a data folder for reading alone, also beside the
// server that has it open.
func openStored(ctx context.Context, folder string) (*db.DB, error) {
	path := filepath.Join(folder, databaseFile)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	return db.Open(ctx, db.Config{Path: path, ReadOnly: true})
}

// VerifyFolder verifies the chain in a data folder, with all tables that follow from it,
// as GET /api/chain/verify does. It trusts the verifier key that is given, else that of
// the folder.
func VerifyFolder(ctx context.Context, folder string, o verify.ChainOptions) (report verify.ChainReport, err error) {
	d, err := openStored(ctx, folder)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	v, err := ledger.VerifyTables(ctx, d, o.Key, o.Progress)
	if err != nil {
		return report, err
	}
	report = verify.NewChainReport(v.Report, v.Checkpoint)
	return report, nil
}

// Export writes the chain of a data folder, as package export has it.
func Export(ctx context.Context, folder string, w io.Writer, progress func(blocks, transactions int64)) (err error) {
	d, err := openStored(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return ledger.Export(ctx, d, w, progress)
}

// VerifySpill makes the files that a verification of a long chain needs.
func VerifySpill() (io.ReadWriteCloser, error) { return ledger.SpillFile() }
