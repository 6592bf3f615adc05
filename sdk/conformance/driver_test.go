package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/verify"
)

// actAsDriver is set in the environment of a process of this test binary that is the driver of package client.
const actAsDriver = "CONFORMANCE_DRIVER"

// TestMain lets the test binary act as the driver.
func TestMain(m *testing.M) {
	if os.Getenv(actAsDriver) == "" {
		flag.Parse()
		// The scenarios wait most of the time, so all of them are played at once.
		if err := flag.Set("test.parallel", "1000"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	if err := drive(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// drive does the tasks of its input, all at once.
func drive(in io.Reader, out io.Writer) error {
	var (
		working sync.WaitGroup
		mu      sync.Mutex // guards the output and failures
		failed  []error
	)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var one task
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return err
		}
		working.Go(func() {
			result, err := one.do(context.Background())
			line, err := one.outcome(result, err)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				_, err = out.Write(append(line, '\n'))
			}
			failed = append(failed, err)
		})
	}
	working.Wait()
	return errors.Join(append(failed, lines.Err())...)
}

// outcome returns the line about a task. An error that the table does not know is returned as such.
func (k *task) outcome(result any, err error) ([]byte, error) {
	if err == nil {
		text, err := json.Marshal(result)
		return []byte(fmt.Sprintf(`{"id":%d,"result":%s}`, k.ID, text)), err
	}
	f := failure{Type: "connection"}
	refused, isRefused := errors.AsType[*client.Error](err)
	switch {
	case isRefused:
		f = failure{Type: "service", Status: refused.Status, Code: refused.Code, RequestID: refused.RequestID}
		if refused.RetryAfter > 0 {
			seconds := refused.RetryAfter.Seconds()
			f.RetryAfter = &seconds
		}
	case errors.Is(err, client.ErrReceipt):
		f.Type = "receipt"
	case errors.Is(err, client.ErrTexts):
		f.Type = "texts"
	case errors.Is(err, client.ErrCursor):
		f.Type = "answer"
	}
	return json.Marshal(outcome{ID: k.ID, Error: &f})
}

// do does a task with package client, which has no sessions.
func (k *task) do(ctx context.Context) (any, error) {
	c, err := client.New(client.Options{URL: k.URL, Key: k.Key,
		RetryBudget: time.Duration(k.Budget * float64(time.Second))})
	if err != nil {
		return nil, err
	}
	switch k.Command {
	case "me":
		out, err := client.Read[api.MeOut](c.API.GetMe(ctx))
		return field(out, err, func(o *api.MeOut) any { return o.Account.Username })
	case "bot":
		out, err := client.Read[api.NewBotOut](c.API.CreateBot(ctx, api.BotIn{Name: k.Arguments[0]}))
		return field(out, err, func(o *api.NewBotOut) any { return o.Secret })
	case "head":
		out, err := client.Read(k.head(ctx, c))
		return field(out, err, func(o *api.HeadOut) any { return o.Head.Height })
	case "meta":
		answer, err := k.head(ctx, c)
		return field(answer, err, func(a *api.Answer[api.HeadOut]) any { return facts(client.MetaOf(a)) })
	case "runs":
		return collect(client.All(func(cursor *string) (*api.Answer[api.RunsOut], error) {
			return c.API.ListRuns(ctx, &api.ListRunsParams{Limit: new(int64(2)), Cursor: cursor})
		}, func(page *api.RunsOut) ([]api.Run, *string) { return page.Runs, page.Next }),
			0, func(run *api.Run) any { return run.ID })
	case "data":
		cursor := func(line *api.DuelLine) string { return line.Cursor }
		return collect(client.Lines(ctx, func(ctx context.Context, after *string) (*api.Answer[[]byte], error) {
			return c.API.DataDuels(ctx, &api.DataDuelsParams{After: after})
		}, cursor), 0, func(line *api.DuelLine) any { return cursor(line) })
	case "events":
		return k.events(ctx, c)
	case "play", "duel":
		return k.play(ctx, c)
	case "run":
		return k.run(ctx, c)
	case "verify":
		return k.verify(ctx, c)
	}
	return nil, fmt.Errorf("no command %s", k.Command)
}

// collect returns the first items of an iterator, all for 0.
func collect[T any](items iter.Seq2[T, error], most int, form func(*T) any) (any, error) {
	list := []any{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		if list = append(list, form(&item)); len(list) == most {
			break
		}
	}
	return list, nil
}

// events is the command of this name.
func (k *task) events(ctx context.Context, c *client.Client) (any, error) {
	n, err := strconv.Atoi(k.Arguments[0])
	if err != nil {
		return nil, err
	}
	topics := []api.FollowEventsParamsTopics{api.FollowEventsParamsTopicsFeed}
	return collect(c.Events(ctx, api.FollowEventsParams{Topics: &topics}), n,
		func(e *client.Event) any { return []any{e.Name, e.ID} })
}

// head asks for the head above the height of the task.
func (k *task) head(ctx context.Context, c *client.Client) (*api.Answer[api.HeadOut], error) {
	height, err := strconv.ParseInt(k.Arguments[0], 10, 64)
	if err != nil {
		return nil, err
	}
	return c.API.GetHead(ctx, &api.GetHeadParams{Height: &height}, client.Wait(20*time.Second))
}

// facts returns the facts about an answer as the table has them.
func facts(m client.Meta) any {
	out := map[string]any{"request_id": m.RequestID, "rate_limit": nil, "held": m.Held, "replayed": m.Replayed}
	if l := m.RateLimit; l != nil {
		out["rate_limit"] = map[string]any{"left": l.Left, "limit": l.Limit, "reset": l.Reset.Seconds(),
			"window": l.Window.Seconds()}
	}
	return out
}

// field returns a part of an answer, or its error.
func field[T any](out *T, err error, of func(*T) any) (any, error) {
	if err != nil {
		return nil, err
	}
	return of(out), nil
}

// play does the commands play and duel.
func (k *task) play(ctx context.Context, c *client.Client) (any, error) {
	programVersion := ""
	if len(k.Arguments) > 1 {
		programVersion = k.Arguments[1]
	}
	results := []string{}
	b, err := client.NewBot(client.BotOptions{
		Client: c, Version: programVersion,
		State: filepath.Join(k.Folder, "bot.json"), Receipts: filepath.Join(k.Folder, "receipts.jsonl"),
		Strategy: func(string) (strategy.Strategy, error) { return strategy.New("rock", strategy.Seed{}) },
		Ended:    func(d *api.Duel) { results = append(results, client.Result(d)) },
	})
	if err != nil {
		return nil, err
	}
	if k.Command == "duel" {
		out, err := client.Read(c.API.GetDuel(ctx, k.Arguments[0], nil))
		if err == nil {
			_, err = b.Play(ctx, &out.Duel)
		}
		return results, err
	}
	n, err := strconv.Atoi(k.Arguments[0])
	if err == nil {
		err = b.Run(ctx, n)
	}
	return results, err
}

// run is the command of this name.
func (k *task) run(ctx context.Context, c *client.Client) (any, error) {
	h, err := client.NewHouse(client.HouseOptions{Client: c, State: filepath.Join(k.Folder, "runs.json"),
		Receipts: filepath.Join(k.Folder, "receipts.jsonl")})
	if err != nil {
		return nil, err
	}
	move, then := api.StartRunInMove("rock"), api.StartRunInThen("claim")
	out, err := h.Start(ctx, api.StartRunIn{Move: &move, Then: &then})
	if err != nil {
		return nil, err
	}
	run := out.Run
	for run.Status == "active" {
		then := api.ThrowInThen("claim")
		next, err := h.Throw(ctx, &run, api.ThrowIn{Move: "rock", Then: &then})
		if err != nil {
			return nil, err
		}
		run = next.Run
	}
	return run.Status, nil
}

// verify is the command of this name.
func (k *task) verify(ctx context.Context, c *client.Client) (any, error) {
	proof, err := client.ReadText(c.API.GetDuelProof(ctx, k.Arguments[0]))
	if err != nil {
		return nil, err
	}
	var o verify.Options
	if len(k.Arguments) > 1 {
		o.Key = &k.Arguments[1]
	}
	return verify.Proof(proof, o), nil
}
