package app

import (
	"context"
	"errors"
	"io"
	"time"

	"roshambo/internal/ledger/audit"
	"roshambo/verify"
)

// VerifyStore verifies the chain in a service's tables and everything derived from it, as GET
// /api/chain/verify does. It trusts the verifier key in o, or the one in the tables when o has
// none. A malformed key is an error.
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
	report.Record, report.Kept.Count = v.Record, v.Kept
	return report, nil
}

// ExportOptions say what Export writes.
type ExportOptions = audit.ExportOptions

// witnessedWait is how long Export waits for a first cosigned checkpoint, and witnessedEvery how often it
// reads the database meanwhile.
const (
	witnessedWait  = time.Minute
	witnessedEvery = time.Second
)

// Export writes the chain of a service in the format of package export. With o.Witnessed it waits up to a
// minute for a cosigned checkpoint; then its error is audit.ErrNotWitnessed.
func Export(ctx context.Context, s Store, w io.Writer, o ExportOptions) (err error) {
	d, err := s.read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	waiting, stop := context.WithTimeout(ctx, witnessedWait)
	defer stop()
	for {
		err := audit.Export(ctx, d, w, o)
		if !errors.Is(err, audit.ErrNotWitnessed) {
			return err
		}
		select {
		case <-waiting.Done():
			return err
		case <-time.After(witnessedEvery):
		}
	}
}

// VerifySpill returns a temporary file for the verification of a chain that does not fit into
// memory.
func VerifySpill() (io.ReadWriteCloser, error) { return audit.SpillFile() }
