package score

import (
	"encoding/binary"
	"time"

	"roshambo/chain"
)

// Board is a list in order: its kind, and a number of that kind.
type Board int64

// The kinds of board. Their numbers are stored.
const (
	kindAll         = 1 // points since genesis
	kindWeek        = 2 // of an ISO week
	kindSeason      = 3
	kindDaily       = 4 // runs of a day
	kindTeams       = 5 // teams, by the points of a season
	kindPlayers     = 6 // who has ever finished anything, by when
	kindAchievement = 7 // who has unlocked it, by when
)

func boardOf(kind, n int64) Board { return Board(kind<<32 | n) }

func (b Board) kind() int64 { return int64(b) >> 32 }

// number returns the week, season, day or achievement.
func (b Board) number() int64 { return int64(b) & (1<<32 - 1) }

var (
	boardAll     = boardOf(kindAll, 0)
	boardPlayers = boardOf(kindPlayers, 0)
)

// key is where an entry stands: by place, and among equals by member.
type key struct {
	place  int64
	member string // bytes
}

func (k key) before(o key) bool {
	return k.place < o.place || k.place == o.place && k.member < o.member
}

// Places. The smaller, the better; their last 31 bits are the second in which the
// result was reached, from 2020 on, so that of equals the earlier one is before.

const (
	secondBits = 31
	secondMask = 1<<secondBits - 1
	maxValue   = 1<<32 - 1
)

var epoch = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()

func seconds(t time.Time) int64 { return min(max(0, t.Unix()-epoch), secondMask) }

// pointsPlace is the place of who has so many points since a time.
func pointsPlace(points int64, reached time.Time) int64 {
	return -(min(points, maxValue) << secondBits) + seconds(reached)
}

// reached returns the time in a place.
func reached(place int64) time.Time { return time.Unix(epoch+place&secondMask, 0).UTC() }

// runPlace is the place of a daily run: tiers, then fewer throws, then earlier.
func runPlace(cleared, throws int64, ended time.Time) int64 {
	return (-cleared<<9+throws)<<secondBits + seconds(ended)
}

// throwsOf returns the throws in the place of a run.
func throwsOf(place int64) int64 { return place >> secondBits & (1<<9 - 1) }

// timePlace is the place on boards where only the time counts.
func timePlace(t time.Time) int64 { return t.UnixMilli() }

// Points.

const (
	duelPoints = 8
	// samePerDay is how many wins over one opponent give points in a UTC day.
	samePerDay = 3
)

// tierPoints returns what a claimed tier is worth.
func tierPoints(k int64) int64 { return 1 << min(k, 30) }

// Members.

func memberOf(a chain.Address) []byte { return a[:] }

func teamMember(team int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(team)) }

func teamOf(member []byte) int64 { return int64(binary.BigEndian.Uint64(member)) }
