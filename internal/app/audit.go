package app

import (
	"context"
	"errors"
	"io"

	"roshambo/internal/ledger/audit"
	"roshambo/verify"
)

// VerifyStore verifies the chain in a service's tables and everything derived from it, as GET
// /api/chain/verify does. It trusts the verifier key in o, or that of the tables when o has none. A
// malformed key is an error.
func VerifyStore(ctx context.Context, s Store, o verify.ChainOptions) (report verify.ChainReport, err error) {
	key := ""
	if o.Key != nil {
		if _, err := verify.ParseKey(*o.Key); err != nil {
			return report, err
		}
		key = *o.Key
	}
	d, err := s.read(ctx)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	v, err := audit.VerifyTables(ctx, d, key, o.Progress)
	if err != nil {
		return report, err
	}
	report = verify.NewChainReport(v.Report, v.Checkpoint)
	report.Record = v.Record
	return report, nil
}

// Export writes the chain of a service in the format of package export. It calls progress with the
// numbers of blocks and transactions written so far.
func Export(ctx context.Context, s Store, w io.Writer, progress func(blocks, transactions int64)) (err error) {
	d, err := s.read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return audit.Export(ctx, d, w, progress)
}

// VerifySpill returns a temporary file for the verification of a chain that does not fit into
// memory.
func VerifySpill() (io.ReadWriteCloser, error) { return audit.SpillFile() }
