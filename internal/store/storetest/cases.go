package storetest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

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
		s.one(t, c)
	}
}

// one runs the use case of one line.
func (s *Statements) one(t testing.TB, c Case) {
	t.Helper()
	var got any
	within := func(use func(in In) (any, error)) func(ctx context.Context, tx *store.Tx) error {
		return func(ctx context.Context, tx *store.Tx) (err error) {
			got, err = use(In{ctx, tx})
			return err
		}
	}
	before, after := c.Before, c.After
	if c.Steps != nil {
		s.Steps(t, c.Name, before, func(ctx context.Context) error { return within(c.Steps)(ctx, nil) }, after)
		before, after = nil, nil
	}
	if before != nil {
		before()
	}
	switch {
	case c.Refused != nil:
		s.Refused(t, c.Name, c.Refused, within(c.Update))
		got = nil
	case c.Update != nil:
		s.Update(t, c.Name, within(c.Update))
	case c.View != nil:
		s.View(t, c.Name, within(c.View))
	case c.Call != nil:
		s.Call(t, c.Name, func(ctx context.Context) error { return within(c.Call)(ctx, nil) })
	}
	if !c.right(got) {
		t.Errorf("%s: got %+v, want %+v", c.Name, got, c.Want)
	}
	c.keep(got)
	if after != nil {
		after()
	}
}

// right reports whether a result is the wanted one.
func (c *Case) right(got any) bool {
	want := c.Want
	switch w := reflect.ValueOf(want); {
	case want == nil:
		is, ok := got.(bool)
		return is || !ok
	case w.Type() == reflect.TypeFor[Len]():
		return reflect.ValueOf(got).Len() == int(w.Int())
	case w.Kind() == reflect.Func:
		args := []reflect.Value{reflect.ValueOf(got)}
		if list, several := got.([]any); several {
			args = nil
			for _, v := range list {
				args = append(args, reflect.ValueOf(v))
			}
		}
		return w.Call(args)[0].Bool()
	case w.Kind() == reflect.Pointer && w.Type() != reflect.TypeOf(got):
		want = w.Elem().Interface()
	}
	return reflect.DeepEqual(got, want)
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
