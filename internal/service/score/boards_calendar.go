package score

import (
	"fmt"
	"time"

	"roshambo/chain"
)

// Days, weeks and seasons are counted in UTC. Days count from 1970-01-01, weeks from
// the Monday before it, seasons from 1: the first begins with the day of genesis.

// SeasonDays is the length of a season in days.
const SeasonDays = chain.SeasonDays

const secondsPerDay = 24 * 60 * 60

// DayOf returns the number of a time's UTC day.
func DayOf(t time.Time) int64 { return floorDiv(t.Unix(), secondsPerDay) }

// DayStart returns the beginning of a day.
func DayStart(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }

// DayName returns the date of a day, such as 2026-11-21.
func DayName(day int64) string { return DayStart(day).Format(time.DateOnly) }

// weekOf returns the number of a time's ISO week; 1970-01-01 was a Thursday.
func weekOf(t time.Time) int64 { return floorDiv(DayOf(t)+3, 7) }

// WeekSpan returns the beginning and end of a time's ISO week, and its name, such as
// 2026-W47.
func WeekSpan(t time.Time) (start, end time.Time, name string) {
	start = DayStart(weekOf(t)*7 - 3)
	year, week := start.ISOWeek()
	return start, start.AddDate(0, 0, 7), fmt.Sprintf("%d-W%02d", year, week)
}

// calendar numbers the seasons.
type calendar struct{ first int64 } // day of genesis

func newCalendar(genesis time.Time) calendar { return calendar{DayOf(genesis)} }

// season returns the number of a time's season, from 1. A clock that is behind may report a
// time before genesis: it belongs to season 1.
func (c calendar) season(t time.Time) int64 {
	return max(0, floorDiv(DayOf(t)-c.first, SeasonDays)) + 1
}

// span returns the beginning and end of a season.
func (c calendar) span(season int64) (start, end time.Time) {
	start = DayStart(c.first + (season-1)*SeasonDays)
	return start, start.AddDate(0, 0, SeasonDays)
}

// floorDiv returns a/b rounded down; b is positive.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
