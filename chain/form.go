package chain

import (
	"fmt"
	"strconv"

	"roshambo/canon"
	"roshambo/game"
)

// form writes or reads one text. Each type with a text says in its method members once what the text
// is, from front to back: the members of an object are sorted, as canonical JSON requires, so a text is
// a template. The methods take the text up to a value, the name of its member usually, and the value.
// Writing only reads values, so that several goroutines can write the same ones.
type form struct {
	reading bool
	in      canon.Reader // the text that is read; its first error sticks
	out     []byte       // the text that is written
}

// document is what has a text.
type document interface{ members(f *form) }

// write returns the text of d. size is about its length in bytes, 0 when that is not known.
func write(size int, d document) []byte {
	f := form{out: make([]byte, 0, size)}
	d.members(&f)
	return f.out
}

// parse reads the texts that members writes, and no others. what names the text in errors.
func parse[T any](what string, raw []byte, members func(*T, *form)) (T, error) {
	f := form{reading: true, in: canon.NewReader(raw)}
	var value T
	members(&value, &f)
	if err := f.in.End(); err != nil {
		return *new(T), fmt.Errorf("chain: %s: %w", what, err)
	}
	return value, nil
}

// literal is text without a value.
func (f *form) literal(text string) {
	if f.reading {
		f.in.Literal(text)
	} else {
		f.out = append(f.out, text...)
	}
}

// try is text that a value does not always have: it is written when *has, and reading sets *has.
func (f *form) try(text string, has *bool) {
	if f.reading {
		*has = f.in.Try(text)
	} else if *has {
		f.out = append(f.out, text...)
	}
}

// known reports whether a value follows; otherwise there is null in its place. It is written when *has is
// false, and reading sets *has.
func (f *form) known(name string, has *bool) bool {
	f.literal(name)
	null := !*has
	f.try("null", &null)
	if f.reading {
		*has = !null
	}
	return !null
}

// fail refuses a value that was read; written values are not checked.
func (f *form) fail(reason string) {
	if f.reading {
		f.in.Fail(reason)
	}
}

// count is an integer from 0 to 2^53-1.
func (f *form) count(name string, n *int64) {
	f.literal(name)
	if !f.reading {
		f.out = canon.AppendInt(f.out, *n)
	} else if *n = f.in.Int(); *n < 0 {
		f.fail("a negative number")
	}
}

// number is the number of a throw or a round.
func (f *form) number(name string, n *int) {
	wide := int64(*n)
	if f.count(name, &wide); f.reading {
		*n = int(wide)
	}
}

func (f *form) bool(name string, b *bool) {
	f.literal(name)
	if f.reading {
		*b = f.in.Bool()
	} else {
		f.out = strconv.AppendBool(f.out, *b)
	}
}

func (f *form) text(name string, s *string) {
	f.literal(name)
	if f.reading {
		*s = f.in.String()
	} else {
		f.out = canon.AppendString(f.out, *s)
	}
}

// hash is a string of 64 lowercase hex digits.
func (f *form) hash(name string, h *Hash) {
	f.literal(name)
	if !f.reading {
		f.out = append(f.out, '"')
		for _, c := range h {
			f.out = append(f.out, hexDigits[c>>4], hexDigits[c&15])
		}
		f.out = append(f.out, '"')
		return
	}
	// Chars is safe here: parseHash refuses every byte that is not a hex digit.
	s := f.in.Chars(2 * len(h))
	if f.in.Err() != nil {
		return
	}
	var err error
	if *h, err = parseHash(s); err != nil {
		f.fail(err.Error())
	}
}

// account is an address. Reading refuses the text of the zero Address, which would be a second text
// for null.
func (f *form) account(name string, a *Address) {
	f.literal(name)
	if !f.reading {
		f.out = append(a.appendText(append(f.out, '"')), '"')
		return
	}
	// Chars is safe here: parseAddress refuses every byte outside the bech32 alphabet.
	s := f.in.Chars(addressLength)
	if f.in.Err() != nil {
		return
	}
	var err error
	if *a, err = parseAddress(s); err != nil {
		f.fail(err.Error())
	} else if *a == (Address{}) {
		f.fail("the address of 20 zero bytes, which is reserved for null")
	}
}

// address is an address, or null for the zero Address.
func (f *form) address(name string, a *Address) {
	if has := *a != (Address{}); f.known(name, &has) {
		f.account("", a)
	}
}

func (f *form) move(name string, m *game.Move) {
	word(f, name, m, game.Move.String, game.Rock, game.Paper, game.Scissors)
}

// outcome is the player's outcome of a throw.
func (f *form) outcome(name string, o *game.Outcome) {
	word(f, name, o, game.Outcome.String, game.Win, game.Loss, game.Tie)
}

// side is one of the sides, or null for NoSide.
func (f *form) side(name string, s *game.Side, sides ...game.Side) {
	if has := *s != game.NoSide; f.known(name, &has) {
		word(f, "", s, game.Side.String, sides...)
	}
}

// word is a string that is the text of one of the values; plain gives it where the values are strings.
func word[T any](f *form, name string, v *T, text func(T) string, values ...T) {
	f.literal(name)
	if !f.reading {
		f.out = canon.AppendString(f.out, text(*v))
		return
	}
	// The value is not converted from the text: no copy of the document survives.
	s := f.in.Bytes()
	for _, w := range values {
		if string(s) == text(w) {
			*v = w
			return
		}
	}
	f.fail("an unknown word")
}

func plain[S ~string](s S) string { return string(s) }

// list is an array, whose opening bracket ends name. element is called for each element with its index.
func list[T any](f *form, name string, l *[]T, element func(e *T, f *form, i int)) {
	f.literal(name)
	for i := 0; ; i++ {
		end := i == len(*l)
		if f.try(`]`, &end); end || f.in.Err() != nil {
			return
		}
		if f.reading {
			*l = append(*l, *new(T))
		}
		if i > 0 {
			f.literal(`,`)
		}
		element(&(*l)[i], f, i)
	}
}
