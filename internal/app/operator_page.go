package app

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"time"

	"roshambo/internal/platform/lease"
	"roshambo/internal/server/adminpage"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// wirePage builds the operators' page, whose forms make the calls of the operators' API.
func (s *Service) wirePage() {
	s.page = adminpage.New(adminpage.Config{Acts: operatorForms(), Call: s.callOperator, Refused: s.refusedOnPage,
		Overview: s.overview, Now: s.config.Now, Log: s.log})
}

// open returns the path of a link that opens the page for one browser. Of the link the log of acts has nothing.
func (c *operatorCall) open(ctx context.Context) (any, error) {
	_, err := c.do(ctx, "", func(context.Context, *store.Tx, account.Account) (any, error) { return nil, nil })
	if err != nil {
		return nil, err
	}
	return map[string]any{"path": c.s.page.NewLink(c.operator)}, nil
}

// callOperator makes a call of the operators' API for a session of the page.
func (s *Service) callOperator(ctx context.Context, call adminpage.Call) adminpage.Answer {
	c := &operatorCall{s: s, admitted: true, operator: call.Operator, action: call.Act,
		values: OperatorArguments(call.Arguments), preview: call.Preview}
	out, err := operatorActs[call.Act].do(c, ctx)
	if text, refused := refusal(err); refused {
		c.recordRefusal(ctx, text)
	}
	return s.operatorAnswer(out, err)
}

// refusedOnPage records a request of the page that is no call, like a call without the token.
func (s *Service) refusedOnPage(ctx context.Context, operator, act, text string) {
	c := &operatorCall{s: s, operator: cmp.Or(operator, unknownOperator), action: act}
	c.recordRefusal(ctx, text)
}

// Rows of the tables of the overview.
type (
	nodeRow struct {
		Node   string   `json:"node"`
		Leases []string `json:"leases"`
	}
	leaseRow struct {
		Lease string `json:"lease"`
		Node  string `json:"node"`
		Terms int64  `json:"terms"`
	}
	queueRow struct {
		Queue   string `json:"queue"`
		Waiting int64  `json:"waiting"`
		Longest string `json:"longest"`
	}
)

// overview reads what the page shows of this node and of the service. Like /metrics and /readyz it needs no entry of
// the log of acts: it names no account.
func (s *Service) overview(ctx context.Context) adminpage.Overview {
	r, err := s.read(ctx)
	reasons := s.reasons(r.backlog, err)
	o := adminpage.Overview{Node: s.leases.Holder(), Ready: len(reasons) == 0,
		Reasons: append(append([]string{}, reasons...), s.warnings()...),
		Parts:   []adminpage.Part{s.clockPart(), s.diskPart(), s.backupPart()}}
	if err == nil { // else it would wait for the database once more
		o.Parts = append(o.Parts, adminpage.Part{Title: "Queues", Value: s.queues(&r)})
		o.Parts = append(o.Parts, s.nodeParts(ctx)...)
	}
	return o
}

// nodeParts shows the leases and the nodes that hold them.
func (s *Service) nodeParts(ctx context.Context) []adminpage.Part {
	list, err := s.leases.Leases(ctx)
	if err != nil {
		return []adminpage.Part{{Title: "Nodes", Value: err.Error()}}
	}
	nodes, leases := nodeRows(s.leases.Holder(), list)
	return []adminpage.Part{{Title: "Nodes: this one, and those that hold a lease", Value: nodes},
		{Title: "Leases", Value: leases}}
}

// nodeRows returns a row for this node and for each other holder of a lease, and one for each lease.
func nodeRows(this string, list []lease.Lease) (nodes []nodeRow, leases []leaseRow) {
	nodes = []nodeRow{{Node: this + ", this one"}}
	at := map[string]int{this: 0}
	for _, l := range list {
		leases = append(leases, leaseRow{l.Name, cmp.Or(l.Holder, "none"), l.Fence})
		if l.Holder == "" { // released
			continue
		}
		i, known := at[l.Holder]
		if !known {
			i = len(nodes)
			at[l.Holder], nodes = i, append(nodes, nodeRow{Node: l.Holder})
		}
		nodes[i].Leases = append(nodes[i].Leases, l.Name)
	}
	return nodes, leases
}

// queues shows what waits, in the service and on this node.
func (s *Service) queues(r *reading) []queueRow {
	row := func(name string, waiting int64, since time.Time) queueRow {
		longest := time.Duration(r.age(since) * float64(time.Second))
		return queueRow{name, waiting, longest.Round(time.Millisecond).String()}
	}
	return []queueRow{
		row("transactions for a block", r.backlog.Pending, r.backlog.Oldest),
		row("mails", r.accounts.Mails, r.accounts.MailWaiting),
		row("reports for points, boards and the feed", r.reports.Reports, r.reports.Oldest),
		{"reports that were refused", r.reports.Refused, ""}, {"changes of boards", r.uncounted, ""},
		row("bots in the arena", r.queue.Waiting, r.queue.Since),
		row("unfinished duels, and their oldest passed deadline", r.duels.UnderWay, r.duels.Deadline),
		{"house runs in play", r.runs, ""},
		{"write transactions of this node", int64(s.DB.Stats().Queue), ""},
		{"passwords to hash on this node", int64(s.Accounts.Hasher.Waiting()), ""},
	}
}

// clockPart shows how far the clocks are apart.
func (s *Service) clockPart() adminpage.Part {
	return adminpage.Part{Title: "Clock", Value: struct {
		Ahead    string `json:"this_node_is_ahead_of_the_database_by"`
		Believed bool   `json:"the_clock_of_the_database_is_believed"`
	}{s.DB.ClockOffset().Round(time.Millisecond).String(), !s.DB.ClockDoubted()}}
}

// diskPart shows the room for data on this node.
func (s *Service) diskPart() adminpage.Part {
	database := "on the server"
	if s.config.Database == "" {
		database = mebibytes(uint64(s.DB.Stats().Bytes))
	}
	return adminpage.Part{Title: "Disk", Value: struct {
		Folder   string `json:"data_folder"`
		Free     string `json:"free_for_the_data_folder"`
		Database string `json:"database_with_its_log"`
		Full     bool   `json:"the_disk_of_the_database_is_full"`
	}{s.config.Data, mebibytes(freeBytes(s.config.Data)), database, s.DB.Full()}}
}

// mebibytes returns a number of bytes as a text.
func mebibytes(bytes uint64) string {
	if bytes == math.MaxUint64 { // freeBytes does not know
		return "unknown"
	}
	return strconv.FormatUint(bytes>>20, 10) + " MiB"
}

// backupPart shows the schedule of backups.
func (s *Service) backupPart() adminpage.Part {
	part := adminpage.Part{Title: "Backups", Value: "none are scheduled (--backup-every)"}
	if b := s.backups; b != nil {
		kept := "all"
		if b.keep > 0 {
			kept = strconv.Itoa(b.keep)
		}
		part.Value = struct {
			Age   string `json:"the_newest_that_counts_is"`
			Every string `json:"every"`
			To    string `json:"to"`
			Kept  string `json:"kept"`
		}{b.age(), b.every.String(), b.to, kept}
	}
	return part
}
