package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"roshambo/contract"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/personal"
	"roshambo/internal/store"
)

// ExportOut is everything that the service keeps about an account.
type ExportOut struct {
	ExportedAt Time            `json:"exported_at"`
	Address    string          `json:"address"`
	Sections   []ExportSection `json:"sections"`
}

// ExportSection is one kind of record.
type ExportSection struct {
	Name string            `json:"name"`
	Rows []json.RawMessage `json:"rows" doc:"Objects. Times are those of the API, days count from 1970-01-01."`
}

// exportsPerNode bounds the exports that a node reads at once.
const exportsPerNode = 2

// exportAccount reads everything that the database keeps about the caller, in one snapshot, into a file, and
// sends that: memory does not grow with the account, and the snapshot does not last as long as a slow client
// reads. An account has one export at a time.
func (a *call) exportAccount(ctx context.Context, _ *none) (contract.Stream, error) {
	slots := append(a.slots(), stream.Slot{Name: "export:" + a.caller.address.String(), Max: 1})
	release, err := a.Streams.Acquire(slots...)
	if err != nil {
		return nil, err
	}
	sends := false
	defer func() {
		if !sends { // an error or a panic
			release()
		}
	}()
	file, err := a.readExport(ctx)
	if err != nil {
		return nil, err
	}
	sends = true
	return func(_ context.Context, w http.ResponseWriter) {
		defer release()
		defer discard(file)
		w.Header().Set("Cache-Control", "no-store")
		length, err := file.Seek(0, io.SeekEnd)
		if err == nil {
			w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
			_, err = file.Seek(0, io.SeekStart)
		}
		if err == nil {
			_, err = io.Copy(w, file)
		}
		if err != nil {
			a.Logger.Debug("an export ended", "error", err) // the client has disconnected, or reads too slowly
		}
	}, nil
}

// readExport returns a file with the export of the caller.
func (a *call) readExport(ctx context.Context) (_ *os.File, err error) {
	select {
	case a.exports <- struct{}{}:
		defer func() { <-a.exports }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file, err := os.CreateTemp(a.Folder, "export-*.json")
	if err != nil {
		return nil, fmt.Errorf("api: export: %w", err)
	}
	whole := false
	defer func() {
		if !whole {
			discard(file)
		}
	}()
	_ = os.Remove(file.Name()) // a crash leaves nothing, where an open file can be removed; discard removes others
	_, err = read(store.Within(ctx, store.LongTrip), a, func(_ context.Context, tx *store.Tx) (*none, error) {
		_, err := file.Seek(0, io.SeekStart) // the closure may be retried
		if err := errors.Join(err, file.Truncate(0)); err != nil {
			return nil, fmt.Errorf("api: export: %w", err)
		}
		address, w := a.caller.address, bufio.NewWriter(file)
		fmt.Fprintf(w, `{"exported_at":%q,"address":%q,"sections":`, tx.Now().UTC().Format(timeFormat), address)
		if err := personal.Write(tx, address, w); err != nil {
			return nil, err
		}
		_, _ = w.WriteString("}") // Flush returns the error of any write
		return nil, w.Flush()
	})
	whole = err == nil
	return file, err
}

// discard closes and removes a temporary file.
func discard(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}
