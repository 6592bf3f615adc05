package audit

import (
	"encoding/binary"
	"fmt"
	"math"

	"roshambo/chain"
)

// describe names the row of a text that rowSums wrote, for the report.
func describe(row string) string {
	t := rowText(row[1:])
	switch row[0] {
	case rowIndex:
		return fmt.Sprintf("chain_index prefix %016x position %d", uint64(t.number()), t.number())
	case rowAddress:
		return fmt.Sprintf("chain_address %s position %d", t.address(), t.number())
	case rowLog:
		return fmt.Sprintf("log_hash %d %x", t.number(), t.string())
	case rowPending:
		return fmt.Sprintf("chain_pending_address %s hash %x", t.address(), t.string())
	case rowPeriod:
		return fmt.Sprintf(
			"chain_period of %d s from %d: %d blocks, %d transactions, %d coins created, %d destroyed, %d there",
			t.number(), t.number(), t.number(), t.number(), t.number(), t.number(), t.number())
	case rowToken:
		return fmt.Sprintf("chain_token %d position %d", t.number(), t.number())
	case rowOrigin:
		return fmt.Sprintf("ledger_token %d run_id %q", t.number(), t.string())
	case rowRun:
		return fmt.Sprintf("ledger_game %q of %s from tier %d, bound %d", t.string(), t.address(), t.number(), t.number())
	case rowDuel:
		return fmt.Sprintf("ledger_game %q between %s and %s for %d", t.string(), t.address(), t.address(), t.number())
	default:
		return "ledger_account " + t.address()
	}
}

// rowText is the rest of a row's text. Its methods take the next column off it.
type rowText string

func (t *rowText) number() int64 {
	n := binary.BigEndian.Uint64([]byte((*t)[:8]))
	*t = (*t)[8:]
	return int64(n)
}

func (t *rowText) string() string {
	n := binary.BigEndian.Uint32([]byte((*t)[:4]))
	*t = (*t)[4:]
	if n == math.MaxUint32 {
		return ""
	}
	s := (*t)[:n]
	*t = (*t)[n:]
	return string(s)
}

func (t *rowText) address() string { return addressName([]byte(t.string())) }

// addressName returns the text form of an address, or hex when the length is wrong.
func addressName(b []byte) string {
	if len(b) != len(chain.Address{}) {
		return fmt.Sprintf("%x", b)
	}
	return chain.Address(b).String()
}
