//go:build ignore

// A program for roshambo lab and roshambo bot: docs/lab.md describes the lines.
//
//	go build bot.go && roshambo lab --exec ./bot
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

type turn struct {
	Opponent, Duel, Seed string
	Round                int
	History              []struct{ Mine, Theirs string }
}

var moves = []string{"rock", "paper", "scissors"}

// choose beats the opponent's most frequent move: each move is beaten by the next one.
func choose(t turn) string {
	if len(t.History) == 0 {
		n, _ := strconv.ParseUint(t.Seed[:8], 16, 32)
		return moves[n%3]
	}
	count, frequent := map[string]int{}, 0
	for _, r := range t.History {
		count[r.Theirs]++
	}
	for i, move := range moves {
		if count[move] > count[moves[frequent]] {
			frequent = i
		}
	}
	return moves[(frequent+1)%3]
}

func main() {
	lines := json.NewDecoder(os.Stdin)
	for {
		var t turn
		if lines.Decode(&t) != nil {
			return // the end of the input is the end of the match
		}
		fmt.Printf("{\"move\":%q}\n", choose(t))
	}
}
