//go:build ignore

// A run against the house, with a fresh text for each throw, and the offline verification of its proof.
//
//	ROSHAMBO_KEY=rsb_… go run client/examples/house.go http://127.0.0.1:8080
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/verify"
)

const receipts = "house-receipts.jsonl"

func main() {
	c, err := client.New(client.Options{URL: os.Args[1], Key: os.Getenv("ROSHAMBO_KEY")})
	if err == nil {
		err = play(context.Background(), c)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context, c *client.Client) error {
	house, err := client.NewHouse(client.HouseOptions{Client: c, State: "runs.json", Receipts: receipts})
	if err != nil {
		return err
	}
	started, err := house.Start(ctx, api.StartRunIn{
		Move: new(api.StartRunInMoveRock), Then: new(api.StartRunInThenClaim),
	})
	if err != nil {
		return err
	}
	run := &started.Run
	for run.Status == api.RunStatusActive { // after a tie
		thrown, err := house.Throw(ctx, run, api.ThrowIn{Move: api.ThrowInMoveRock, Then: new(api.ThrowInThenClaim)})
		if err != nil {
			return err
		}
		run = &thrown.Run
	}
	fmt.Printf("%s after %d throws\n", run.Status, len(run.Throws))

	// The proof covers the run once its end is in a block, within a second.
	for height := new(int64); ; {
		report, err := check(ctx, c, run.ID)
		if err != nil || report.Verdict != verify.Pending {
			if err == nil {
				err = report.WriteText(os.Stdout)
			}
			return err
		}
		out, err := client.Read(c.API.GetHead(ctx, &api.GetHeadParams{Height: height}, client.Wait(5*time.Second)))
		if err != nil {
			return err
		}
		height = &out.Head.Height
	}
}

// check reads the proof of a run, and compares it with the receipts.
func check(ctx context.Context, c *client.Client, run string) (verify.Report, error) {
	proof, err := client.ReadText(c.API.GetRunProof(ctx, run))
	if err != nil {
		return verify.Report{}, err
	}
	kept, err := os.ReadFile(receipts)
	return verify.Run(proof, verify.Options{Receipts: kept}), err
}
