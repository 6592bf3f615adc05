package app

import (
	"context"
	"errors"
	"io"

	"roshambo/internal/ledger/audit"
	"roshambo/verify"
)

// VerifyStore verifies the chain in a service's tables, with all that follow from it, as
// GET /api/chain/verify does. It trusts the verifier key that is given, else that of the
// tables.
func VerifyStore(ctx context.Context, s Store, o verify.ChainOptions) (report verify.ChainReport, err error) {
	d, err := s.read(ctx)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	v, err := audit.VerifyTables(ctx, d, o.Key, o.Progress)
	if err != nil {
		return report, err
	}
	report = verify.NewChainReport(v.Report, v.Checkpoint)
	return report, nil
}

// Export writes the chain of a service, as package export has it.
func Export(ctx context.Context, s Store, w io.Writer, progress func(blocks, transactions int64)) (err error) {
	d, err := s.read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return audit.Export(ctx, d, w, progress)
}

// VerifySpill makes the files that a verification of a long chain needs.
func VerifySpill() (io.ReadWriteCloser, error) { return audit.SpillFile() }
