package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// In is the context of a use case, and the transaction in which it runs: nil in Call and Steps.
type In struct {
	context.Context
	Tx *store.Tx
}

// Case is a line of a table of use cases, which Statements.Run runs once for each of their statements.
type Case struct {
	Name   string
	Before func() // prepares the use case once, and Steps before each run; nil for nothing

	// The use case is one of these four. With none of them, the line only calls Before and After.
	Update func(in In) (any, error) // within the transaction of an Update
	View   func(in In) (any, error) // within the transaction of a View
	Call   func(in In) (any, error) // calls Update once and View any number of times
	Steps  func(in In) (any, error) // stores in several transactions, of which those before the failing one persist

	// Want is the result while no statement fails, a pointer to it, a Len of it, or a function that reports whether
	// the result is right. Nil for any, but a bool must be true.
	Want any
	// Refused is the error of Update while no statement fails. Nil for none.
	Refused error
	// Keep is a pointer that gets the result, or what the result points to; of several results an []any of pointers.
	// Nil for none.
	Keep  any
	After func() // checks what the use case has stored, Steps after each success; nil for nothing
}

// Len is a Case.Want: the number of a result's elements.
type Len int

// Run runs the use cases of a table in turn.
func (s *Statements) Run(t testing.TB, cases []Case) {
	t.Helper()
	for _, c := range cases {
		// A line sees what those before it have kept, as its arguments are read when it runs.
		use := s.within(t, &c)
		if c.Steps != nil {
			s.steps(t, &c, use)
			continue
		}
		if c.Before != nil {
			c.Before()
		}
		if use != nil {
			s.atomic(t, &c, use)
		}
		if c.After != nil {
			c.After()
		}
	}
}

// within returns the use case of a line in its transaction; nil for none.
func (s *Statements) within(t testing.TB, c *Case) func(ctx context.Context) (any, error) {
	t.Helper()
	switch {
	case c.Refused != nil:
		return func(ctx context.Context) (any, error) { return nil, s.refused(ctx, c) }
	case c.Update != nil:
		return func(ctx context.Context) (any, error) { return s.update(ctx, t, c) }
	case c.View != nil:
		return func(ctx context.Context) (got any, err error) {
			err = s.db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
				got, err = c.View(In{ctx, tx})
				return err
			})
			return got, err
		}
	case c.Call != nil:
		return func(ctx context.Context) (any, error) { return c.Call(In{Context: ctx}) }
	case c.Steps != nil:
		return func(ctx context.Context) (any, error) { return c.Steps(In{Context: ctx}) }
	}
	return nil
}

// update runs an Update, whose AfterCommit callbacks run once if it succeeds, and otherwise not.
func (s *Statements) update(ctx context.Context, t testing.TB, c *Case) (got any, err error) {
	t.Helper()
	after, want := 0, 1 // calls of the callback
	err = s.db.UpdateAt(ctx, s.Level, func(ctx context.Context, tx *store.Tx) (err error) {
		tx.AfterCommit(func() { after++ })
		got, err = c.Update(In{ctx, tx})
		return err
	})
	if err != nil {
		want = 0
	}
	if after != want {
		t.Errorf("%s: AfterCommit has run %d times, and the error is %v", c.Name, after, err)
	}
	return got, err
}

// refused runs an Update that must return Refused unless one of its statements fails. A run on an assumption that
// proves wrong (store.Deferred) does not count: its use case must return the failing statement's error, and the
// next run, in which no statement fails, Refused.
func (s *Statements) refused(ctx context.Context, c *Case) error {
	surfaced := false
	err := s.db.UpdateAt(ctx, s.Level, func(ctx context.Context, tx *store.Tx) error {
		_, err := c.Update(In{ctx, tx})
		surfaced = surfaced || errors.Is(err, ErrStatement)
		return err
	})
	if surfaced && errors.Is(err, c.Refused) {
		return fmt.Errorf("%w in a run that did not count, then: %w", ErrStatement, err)
	}
	return err
}

// atomic runs a use case with each of its statements failing, and then without a failing one.
func (s *Statements) atomic(t testing.TB, c *Case, use func(ctx context.Context) (any, error)) {
	t.Helper()
	for n := 1; ; n++ {
		// Each iteration fails one statement later, and compares the state before and after.
		before, shown := s.Content(t), s.shown()
		s.Fail(n)
		got, err := use(t.Context())
		query := s.Failed()
		// No statement failed: this was the last run.
		if query == "" {
			c.succeeded(t, n, got, err)
			return
		}
		if !errors.Is(err, ErrStatement) {
			t.Fatalf("%s: the error of statement %d is dropped: got error %v\n%s", c.Name, n, err, query)
		}
		if !bytes.Equal(before, s.Content(t)) {
			t.Fatalf("%s: data was stored although statement %d failed\n%s", c.Name, n, query)
		}
		if diff := cmp.Diff(shown, s.shown()); diff != "" {
			t.Fatalf("%s: the visible state changed although statement %d failed (-before +after)\n%s\n%s",
				c.Name, n, diff, query)
		}
	}
}

// steps runs a use case that stores in several transactions: the error of the failing statement must be returned,
// and a repeated run must succeed.
func (s *Statements) steps(t testing.TB, c *Case, use func(ctx context.Context) (any, error)) {
	t.Helper()
	for n := 1; ; n++ {
		if c.Before != nil {
			c.Before()
		}
		s.Fail(n)
		got, err := use(t.Context())
		query := s.Failed()
		// The error must be returned even though earlier transactions have been committed.
		if query != "" && !errors.Is(err, ErrStatement) {
			t.Fatalf("%s: the error of statement %d is dropped: got error %v\n%s", c.Name, n, err, query)
		}
		if query != "" {
			_, err = use(t.Context())
		}
		if query != "" && err != nil {
			t.Fatalf("%s: run again after statement %d has failed: %v\n%s", c.Name, n, err, query)
		}
		if query == "" {
			c.succeeded(t, n, got, err)
		}
		if c.After != nil {
			c.After()
		}
		if query == "" {
			return
		}
	}
}

// succeeded checks run n, in which no statement failed, and keeps its result.
func (c *Case) succeeded(t testing.TB, n int, got any, err error) {
	t.Helper()
	if !errors.Is(err, c.Refused) {
		t.Fatalf("%s: no statement fails: got error %v, want %v", c.Name, err, c.Refused)
	}
	if n == 1 {
		t.Fatalf("%s: there was no statement", c.Name)
	}
	t.Logf("%s: %d statements", c.Name, n-1)
	if want, right := c.right(got); !right {
		t.Errorf("%s: got %+v, want %s", c.Name, got, want)
	}
	c.keep(got)
}

// right reports whether a result is the wanted one, which it describes.
func (c *Case) right(got any) (want string, right bool) {
	switch w := reflect.ValueOf(c.Want); {
	case c.Want == nil:
		is, ok := got.(bool)
		return "true", is || !ok
	case w.Type() == reflect.TypeFor[Len]():
		return fmt.Sprintf("a length of %d", w.Int()), reflect.ValueOf(got).Len() == int(w.Int())
	case w.Kind() == reflect.Func:
		// A single result may be a list: only Do returns an []any, of several.
		results, several := got.([]any)
		if !several {
			results = []any{got}
		}
		var args []reflect.Value
		for _, v := range results {
			args = append(args, reflect.ValueOf(v))
		}
		return "a result that Want accepts", w.Call(args)[0].Bool()
	case w.Kind() == reflect.Pointer && w.Type() != reflect.TypeOf(got):
		return fmt.Sprintf("%+v", w.Elem()), reflect.DeepEqual(got, w.Elem().Interface())
	}
	return fmt.Sprintf("%+v", c.Want), reflect.DeepEqual(got, c.Want)
}

// keep stores results in Keep.
func (c *Case) keep(got any) {
	if c.Keep == nil {
		return
	}
	pointers, several := c.Keep.([]any)
	results, _ := got.([]any)
	if !several {
		pointers, results = []any{c.Keep}, []any{got}
	}
	for i, to := range pointers {
		p, v := reflect.ValueOf(to).Elem(), reflect.ValueOf(results[i])
		if !v.Type().AssignableTo(p.Type()) {
			v = v.Elem()
		}
		p.Set(v)
	}
}

// Do returns a use case that calls a function with the context and the transaction, if it takes them, and with
// args. It returns the function's result, several results as []any, and the error, which the function returns
// last. An argument may also be a pointer to the value that the function takes: it is read at each call, for
// values that an earlier line of the table keeps. Do panics if the arguments do not fit the function.
func Do(function any, args ...any) func(in In) (any, error) {
	f := reflect.ValueOf(function)
	kind := f.Type()
	// Each parameter is the context, the transaction, or takes the next of args.
	given := make([]func(in In) reflect.Value, kind.NumIn())
	for i := range given {
		switch to := kind.In(i); to {
		case reflect.TypeFor[context.Context]():
			given[i] = func(in In) reflect.Value { return reflect.ValueOf(in.Context) }
		case reflect.TypeFor[*store.Tx]():
			given[i] = func(in In) reflect.Value { return reflect.ValueOf(in.Tx) }
		default:
			if len(args) == 0 {
				panic(fmt.Sprintf("storetest: too few arguments for %v", kind))
			}
			given[i], args = argument(to, args[0]), args[1:]
		}
	}
	if len(args) > 0 {
		panic(fmt.Sprintf("storetest: %v does not take %v", kind, args))
	}
	return func(in In) (any, error) {
		values := make([]reflect.Value, len(given))
		for i, value := range given {
			values[i] = value(in)
		}
		results := make([]any, kind.NumOut())
		for i, v := range f.Call(values) {
			results[i] = v.Interface()
		}
		last := len(results) - 1
		err, _ := results[last].(error)
		switch last {
		case 0:
			return nil, err
		case 1:
			return results[0], err
		}
		return results[:last], err
	}
}

// argument returns the value of an argument for a parameter of a type. Constants arrive as int and string.
func argument(to reflect.Type, arg any) func(In) reflect.Value {
	v := reflect.ValueOf(arg)
	switch {
	case arg == nil:
		v = reflect.Zero(to)
	case v.Type().AssignableTo(to):
	case v.Kind() == reflect.Pointer && v.Type().Elem().AssignableTo(to):
		return func(In) reflect.Value { return v.Elem() }
	case v.CanInt() && reflect.Zero(to).CanInt(), v.Kind() == reflect.String && to.Kind() == reflect.String:
		v = v.Convert(to)
	default:
		panic(fmt.Sprintf("storetest: %T for an argument of type %v", arg, to))
	}
	return func(In) reflect.Value { return v }
}

// Listen runs a statement, as a listener that stores something does: its error must roll back the use case
// that calls the listener. heard is called once the use case is committed.
func Listen(ctx context.Context, tx *store.Tx, heard func()) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(heard)
	return nil
}
