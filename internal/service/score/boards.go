package score

import (
	"encoding/binary"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
)

// Board identifies a leaderboard: its kind in the upper 32 bits, and in the lower ones the
// week, season, day or achievement that it belongs to.
type Board int64

// The kinds of board. Their numbers are stored.
const (
	kindAll         = 1 // points since genesis
	kindWeek        = 2 // points of an ISO week
	kindSeason      = 3 // points of a season
	kindDaily       = 4 // daily runs of a day
	kindTeams       = 5 // teams, by points of a season
	kindPlayers     = 6 // accounts with at least one fact, by the time of the first
	kindAchievement = 7 // accounts that unlocked it, by time
)

func boardOf(kind, n int64) Board { return Board(kind<<32 | n) }

func (b Board) kind() int64 { return int64(b) >> 32 }

// number returns the week, season, day or achievement.
func (b Board) number() int64 { return int64(b) & (1<<32 - 1) }

var (
	boardAll     = boardOf(kindAll, 0)
	boardPlayers = boardOf(kindPlayers, 0)
)

// position is the position of an entry in the order of its board: by sort key, and among
// equal keys by member.
type position = rank.Position

// newRanks returns the index of the ranks on all boards. A board's id is stored as a number.
func newRanks(db *store.DB) *rank.Index[int64] {
	return rank.New[int64](db, rank.Tables{
		Entries: "score_entry", Board: "board", Key: "place", Member: "member",
		Totals: "score_board", Blocks: "score_block", Changes: "score_change",
	})
}

// Sort keys: the smaller, the better. The last 31 bits hold the second in which the result
// was reached, counted from 2020, so that the earlier of two equal results ranks first. The
// bits above hold the result, negated where more is better.

const (
	secondBits = 31
	secondMask = 1<<secondBits - 1
	maxValue   = 1<<32 - 1 // points beyond it rank as equal

	throwBits = 9 // a run has at most 256 throws
)

var epoch = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()

// seconds returns the seconds since epoch, limited to secondBits.
func seconds(t time.Time) int64 { return min(max(0, t.Unix()-epoch), secondMask) }

// pointsKey returns the sort key of points that were reached at a time: more points, then
// earlier.
func pointsKey(points int64, reached time.Time) int64 {
	return -(min(points, maxValue) << secondBits) + seconds(reached)
}

// reached returns the time in a sort key, to the second.
func reached(key int64) time.Time { return time.Unix(epoch+key&secondMask, 0).UTC() }

// runKey returns the sort key of a daily run: more tiers, then fewer throws, then earlier.
func runKey(cleared, throws int64, ended time.Time) int64 {
	return (-cleared<<throwBits+throws)<<secondBits + seconds(ended)
}

// throwsOf returns the throws in the sort key of a run.
func throwsOf(key int64) int64 { return key >> secondBits & (1<<throwBits - 1) }

// timeKey returns the sort key on boards that order by time alone, in Unix milliseconds.
func timeKey(t time.Time) int64 { return t.UnixMilli() }

const (
	// winsPerDay is how many rated duels won give an account points in a UTC day. Verifiers bound tables by both.
	winsPerDay = tables.WinsPerDay
	// runsPerDay is how many of an account's runs, the best ones, give points in a UTC day.
	runsPerDay = tables.RunsPerDay
)

// worth returns the points of a claimed run among the best of its day: the tier's points, less
// the points of the burnt token's tier that it started from.
func (f *fact) worth() int64 {
	if !f.claim() {
		return 0
	}
	return tables.ClaimPoints(f.first, f.tier)
}

// memberOf returns an account as a member of boards: the 20 bytes of its address.
func memberOf(a chain.Address) []byte { return a[:] }

// teamMember returns a team as a member of boards: its id, 8 bytes big-endian.
func teamMember(team int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(team)) }

// teamOf returns the team id of a member of boards of teams.
func teamOf(member []byte) int64 { return int64(binary.BigEndian.Uint64(member)) }
