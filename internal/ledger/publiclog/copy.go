package publiclog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain/export"
	"roshambo/internal/platform/durable"
	"roshambo/verify"
)

// Files of a copy. The first three hold the lines of the pages below /log/blocks/, /log/games/ and /log/kept/,
// from the first on; the last says how much of them is verified.
const (
	blocksFile = "blocks.jsonl"
	gamesFile  = "games.jsonl"
	keptFile   = "kept.jsonl"
	stateFile  = "mirror.json"
)

// state is the content of stateFile: what the copy vouches for.
type state struct {
	VerifierKey string `json:"verifier_key"` // of the log, pinned when the copy was begun
	Checkpoint  string `json:"checkpoint"`   // signed, of all blocks of the copy; "" before the first
	BlockBytes  int64  `json:"block_bytes"`  // verified length of blocksFile
	GameBytes   int64  `json:"game_bytes"`   // and of gamesFile
	KeptBytes   int64  `json:"kept_bytes"`   // and of keptFile
	// NewestKept is the newest kept checkpoint, "" for none. It is not in keptFile yet, which is only appended to: the
	// service may add lines to it.
	NewestKept string `json:"newest_kept"`
}

// newestLine returns the line of the newest kept checkpoint, nil for none.
func (s *state) newestLine() []byte {
	if s.NewestKept == "" {
		return nil
	}
	return export.AppendKept(nil, s.NewestKept)
}

// place is where a block begins in the files.
type place struct {
	block, game int64 // offsets in bytes
	header      int32 // length in bytes
}

// copied is a verified copy of a log as it stands after one check; it does not change. It takes some 90
// bytes of memory for each block, so that pages and tiles need one read of a file.
type copied struct {
	state
	places       []place     // of each block, and the end
	kept         []int64     // offset of each kept checkpoint, as if the newest were in the file, and the end
	hashes       []tlog.Hash // of the tree, as tlog.StoredHashes orders them
	transactions int64
}

// size returns the number of blocks.
func (c *copied) size() int64 { return int64(len(c.places)) - 1 }

// files are the files of a copy. One goroutine appends; any number reads the verified part.
type files struct {
	folder              string
	blocks, games, kept *os.File
}

// openFiles opens the files of a copy below folder, which it creates, and reads the state. It cuts
// off lines that a round appended after the state was written, without coming to its end.
func openFiles(folder string) (f *files, s state, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, s, err
	}
	if s, err = readState(folder); err != nil {
		return nil, s, fmt.Errorf("%s: %w", stateFile, err)
	}
	f, err = openAll(folder, s, os.O_RDWR|os.O_CREATE, cut)
	return f, s, err
}

// openAll opens the files of a copy, and checks each with the length that the state names.
func openAll(folder string, s state, flag int, check func(f *os.File, length int64) error) (*files, error) {
	f := &files{folder: folder}
	for _, one := range []struct {
		file   **os.File
		name   string
		length int64
	}{{&f.blocks, blocksFile, s.BlockBytes}, {&f.games, gamesFile, s.GameBytes}, {&f.kept, keptFile, s.KeptBytes}} {
		var err error
		if *one.file, err = os.OpenFile(filepath.Join(folder, one.name), flag, 0o644); err == nil {
			err = check(*one.file, one.length)
		}
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return f, nil
}

// readState reads the state of a copy, which is empty before the first round.
func readState(folder string) (s state, err error) {
	text, err := os.ReadFile(filepath.Join(folder, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(text, &s) // not in the return statement, which may read s first
	return s, err
}

// IsCopy reports whether a folder holds a copy that a Mirror has kept.
func IsCopy(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, stateFile))
	return err == nil
}

// VerifyCopy verifies the copy in a folder, also while a Mirror appends to it, and changes nothing there.
// Without a key in o the one that was pinned is used.
func VerifyCopy(ctx context.Context, folder string, o verify.ChainOptions) (report verify.ChainReport, err error) {
	text, err := os.ReadFile(filepath.Join(folder, stateFile))
	if err != nil {
		return report, err
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return report, fmt.Errorf("%s: %w", stateFile, err)
	}
	f, err := openAll(folder, s, os.O_RDONLY, holds)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	_, report, err = f.verify(ctx, s, o)
	return report, err
}

// holds checks that a file has the length that the state names, which may come from a stranger.
func holds(f *os.File, length int64) error {
	info, err := f.Stat()
	if err == nil && (length < 0 || info.Size() < length) {
		err = fmt.Errorf("%s has %d bytes where %s names %d: the copy is damaged", f.Name(), info.Size(), stateFile, length)
	}
	return err
}

// cut drops what follows the first length bytes of f, which were verified.
func cut(f *os.File, length int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < length {
		return fmt.Errorf("%s has %d bytes where %d were verified: the copy is damaged; mirror into another folder",
			f.Name(), info.Size(), length)
	}
	return f.Truncate(length)
}

// close closes the files.
func (f *files) close() error {
	var errs []error
	for _, one := range []*os.File{f.blocks, f.games, f.kept} {
		if one != nil {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}

// keep makes s the state of the copy. A crash before the rename leaves the earlier state, and the next
// start cuts off the lines appended since; a crash after it leaves s, whose lines are on the disk.
func (f *files) keep(s state) error {
	if err := errors.Join(f.blocks.Sync(), f.games.Sync(), f.kept.Sync()); err != nil {
		return err
	}
	return writePublic(filepath.Join(f.folder, stateFile), s)
}

// writePublic writes a value as JSON durably. The log is public, so other users may read the file.
func writePublic(name string, value any) error { return durable.WriteJSON(name, 0o644, value) }

// verify verifies the lines of the files up to the lengths in s, from block 0 on, and returns the copy
// with the report. The copy is nil when the lines cannot be read.
func (f *files) verify(ctx context.Context, s state, o verify.ChainOptions) (*copied, verify.ChainReport, error) {
	o.Transactions, o.VerifierKey = s.BlockBytes/bytesOfTransaction, s.VerifierKey
	c, err := verify.NewChain(o)
	if err != nil {
		return nil, verify.ChainReport{}, err
	}
	defer c.Close()
	out := &copied{state: s, kept: make([]int64, 1)}
	newest := s.newestLine()
	kept := keptLines{bufio.NewReader(io.MultiReader(io.NewSectionReader(f.kept, 0, s.KeptBytes),
		bytes.NewReader(newest))), nil}
	games := bufio.NewReaderSize(io.NewSectionReader(f.games, 0, s.GameBytes), 256<<10)
	blocks := export.NewPartReader(io.NewSectionReader(f.blocks, 0, s.BlockBytes))
	var at place
	for ctx.Err() == nil {
		b, err := blocks.Block()
		if errors.Is(err, io.EOF) {
			out.places = append(out.places, at)
			break
		}
		if err != nil {
			return nil, verify.ChainReport{}, fmt.Errorf("%s: %w", blocksFile, err)
		}
		// The games are in the order of the transactions that end them; which of them fits to which is what
		// the verification finds out.
		for range countPins(b.Txs) {
			line, err := games.ReadBytes('\n')
			if err != nil {
				break // the report says that it is missing
			}
			b.Transcripts = append(b.Transcripts, bytes.TrimSuffix(line, []byte("\n")))
		}
		if err := out.add(&at, b); err != nil {
			return nil, verify.ChainReport{}, err
		}
		c.Block(b.Header, b.Txs, b.Transcripts)
		for note, line := kept.upTo(out.size() + 1); line > 0; note, line = kept.upTo(out.size() + 1) {
			c.Kept(note)
			out.kept = append(out.kept, out.kept[len(out.kept)-1]+line)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, verify.ChainReport{}, err
	}
	if at.game != s.GameBytes {
		c.AddProblem(noHeight, gamesFile, fmt.Sprintf("%d bytes of games", at.game), fmt.Sprint(s.GameBytes))
	}
	if read, all := out.kept[len(out.kept)-1], s.KeptBytes+int64(len(newest)); read != all {
		c.AddProblem(noHeight, keptFile, fmt.Sprintf("%d bytes of checkpoints of these blocks, with the newest", read),
			fmt.Sprint(all))
	}
	report, err := c.Finish(s.Checkpoint)
	return out, report, err
}

// keptLines reads the lines of a keptFile.
type keptLines struct {
	r    *bufio.Reader
	line []byte // read and not returned
}

// upTo returns the next kept checkpoint of a tree of at most size blocks, and the length of its line; 0 when the
// next one is of a larger tree, malformed or missing.
func (k *keptLines) upTo(size int64) (note string, line int64) {
	if k.line == nil {
		k.line, _ = k.r.ReadBytes('\n') // a cut line is none
	}
	text, whole := bytes.CutSuffix(k.line, []byte("\n"))
	note, ok := export.ParseKept(text)
	if !whole || !ok || statedSize([]byte(note)) > size {
		return "", 0
	}
	line, k.line = int64(len(k.line)), nil
	return note, line
}

// bytesOfTransaction is the usual length of a transaction with its share of the header.
const bytesOfTransaction = 400

// add adds a block and its hashes, and moves at behind it.
func (c *copied) add(at *place, b export.Block) error {
	at.header = int32(len(b.Header)) // at most export.MaxLine
	c.places = append(c.places, *at)
	hashes, err := tlog.StoredHashes(c.size(), b.Header, tlog.HashReaderFunc(c.storedHashes))
	if err != nil {
		return err
	}
	c.hashes = append(c.hashes, hashes...)
	c.transactions += int64(len(b.Txs))
	at.block += int64(len(b.Header)) + 1
	for _, raw := range b.Txs {
		at.block += int64(len(raw)) + 1
	}
	for _, raw := range b.Transcripts {
		at.game += int64(len(raw)) + 1
	}
	return nil
}

// storedHashes implements tlog.HashReader.
func (c *copied) storedHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(len(c.hashes)) {
			return nil, errors.New("publiclog: no such hash")
		}
		out[i] = c.hashes[index]
	}
	return out, nil
}
