package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pythonOperations writes the table of the operations and their methods, once for each client.
func pythonOperations(c *contract) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(pythonMark)
	fmt.Fprintf(&b, `"""Every operation of the service, version %s of its contract, as a method of both clients.

Each method returns the answer as JSON, typed by roshambo.types; a method iter_… iterates over a list and reads its pages
as needed. Arguments that are None are left out of the request. Other answers than 200 are errors of roshambo: each
operation names the codes that are its own, beside those of all operations:
%s.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

from . import _types as types
from ._events import Event
from ._request import Operation
from ._surface import AsyncSurface, Surface

CONTRACT = %q
`, c.version, strings.Join(wrap(strings.Join(c.commonCodes(), ", "), 118), "\n"), c.version)
	b.WriteByte('\n')
	for i := range c.operations {
		o := &c.operations[i]
		fmt.Fprintf(&b, "_%s = Operation(%q, %q, %q", strings.ToUpper(snake(o.id)), o.id, o.method, o.path)
		if o.idempotent {
			b.WriteString(", idempotent=True")
		}
		if o.csrf {
			b.WriteString(", csrf=True")
		}
		b.WriteString(")\n")
	}
	for _, async := range []bool{false, true} {
		if err := pythonClass(&b, c, async); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// pythonClass writes the methods of one client.
func pythonClass(b *bytes.Buffer, c *contract, async bool) error {
	if async {
		b.WriteString("\n\nclass AsyncOperations(AsyncSurface):\n" +
			"    \"\"\"The operations of AsyncClient, in the order of the contract.\"\"\"\n")
	} else {
		b.WriteString("\n\nclass Operations(Surface):\n" +
			"    \"\"\"The operations of Client, in the order of the contract.\"\"\"\n")
	}
	names := map[string]bool{}
	for i := range c.operations {
		o := &c.operations[i]
		arguments, err := pythonArguments(c, o)
		if err != nil {
			return err
		}
		m := pythonMethod{b: b, c: c, o: o, async: async, arguments: arguments}
		for _, write := range m.writers() {
			name := write()
			if names[name] {
				return fmt.Errorf("two methods are called %s", name)
			}
			names[name] = true
		}
	}
	return nil
}

// pythonMethod writes the methods of one operation.
type pythonMethod struct {
	b         *bytes.Buffer
	c         *contract
	o         *operation
	async     bool
	arguments []pythonArgument
}

// writers returns the functions that write the operation's methods, each of which returns the method's name.
func (m pythonMethod) writers() []func() string {
	switch {
	case m.o.form == asEvents:
		return []func() string{m.events}
	case m.o.form == asLines:
		return []func() string{m.lines}
	case m.o.page != nil:
		return []func() string{m.call, m.pages}
	}
	return []func() string{m.call}
}

// call writes the method that sends one request.
func (m pythonMethod) call() string {
	name, result, way := snake(m.o.id), pythonType(m.o.result, "types."), "_json"
	if m.o.form == asText {
		result, way = "str", "_text"
	}
	keyword, wait := "def ", "return "
	if m.async {
		keyword, wait = "async def ", "return await "
	}
	m.head(keyword, name, result, m.arguments)
	m.document(name, m.o.description, m.arguments)
	fmt.Fprintf(m.b, "        %sself.%s(%s)\n", wait, way, m.given())
	return name
}

// pages writes the method that iterates over a list.
func (m pythonMethod) pages() string {
	name := "iter_" + strings.TrimPrefix(strings.TrimPrefix(snake(m.o.id), "list_"), "get_")
	var arguments []pythonArgument
	for _, a := range m.arguments {
		if a.name != "cursor" && a.in != "option" {
			arguments = append(arguments, a)
		}
	}
	m.arguments = arguments
	m.head("def ", name, m.iterator(pythonType(m.o.page.item, "types.")), arguments)
	about := fmt.Sprintf("Iterates over the %s of %s, all pages of them.", m.o.page.items, snake(m.o.id))
	m.document(name, about, arguments)
	fmt.Fprintf(m.b, "        return self._pages(%q, %s)\n", m.o.page.items, m.given())
	return name
}

// lines writes the method that iterates over the lines of an answer: objects that say where to go on after them, or
// texts.
func (m pythonMethod) lines() string {
	name, way, item := snake(m.o.id), "_texts", "str"
	about := m.o.description + "\n\nEach line is a text of JSON. A connection that breaks in the middle is an error."
	if m.o.result.kind == isRef {
		way, item = "_lines", pythonType(m.o.result, "types.")
		about = m.o.description + "\n\nAfter an answer or a connection that ends it goes on behind the last line, up to an " +
			"answer without a line."
	}
	m.head("def ", name, m.iterator(item), m.arguments)
	m.document(name, about, m.arguments)
	fmt.Fprintf(m.b, "        return self.%s(%s)\n", way, m.given())
	return name
}

// events writes the method that follows a stream.
func (m pythonMethod) events() string {
	name := snake(m.o.id)
	m.head("def ", name, m.iterator("Event"), m.arguments)
	m.document(name, m.o.description+"\n\nAfter a connection that breaks it goes on behind the last event with an id. "+
		"It ends after the event end, and with follow=False once the stored events have been sent.", m.arguments)
	fmt.Fprintf(m.b, "        return self._events(%s)\n", m.given())
	return name
}

// iterator returns the type of an iterator over items.
func (m pythonMethod) iterator(item string) string {
	if m.async {
		return "AsyncIterator[" + item + "]"
	}
	return "Iterator[" + item + "]"
}

// head writes the line of a method with its arguments: the ones in the path by position, the others by name.
func (m pythonMethod) head(keyword, name, result string, arguments []pythonArgument) {
	parts, named := []string{"self"}, false
	for _, a := range arguments {
		if a.in != "path" && !named {
			parts, named = append(parts, "*"), true
		}
		switch {
		case a.required:
			parts = append(parts, a.name+": "+a.typ)
		case a.name == "receipts" && a.in == "option":
			parts = append(parts, a.name+": bool = False")
		default:
			parts = append(parts, a.name+": "+a.typ+" | None = None")
		}
	}
	line := fmt.Sprintf("    %s%s(%s) -> %s:", keyword, name, strings.Join(parts, ", "), result)
	if len(line) > 118 {
		line = fmt.Sprintf("    %s%s(\n        %s,\n    ) -> %s:", keyword, name, strings.Join(parts, ",\n        "), result)
	}
	m.b.WriteString("\n" + line + "\n")
}

// document writes the docstring of a method. The asynchronous one refers to the other.
func (m pythonMethod) document(name, about string, arguments []pythonArgument) {
	if m.async {
		pythonDoc(m.b, "        ", fmt.Sprintf("%s: as Client.%s.", m.o.summary, name))
		return
	}
	var b strings.Builder
	if m.o.summary != m.o.description && !strings.HasPrefix(about, "Iterates") {
		b.WriteString(m.o.summary + ".\n\n")
	}
	b.WriteString(about)
	if !strings.HasSuffix(about, ".") {
		b.WriteByte('.')
	}
	fmt.Fprintf(&b, "\n\n%s %s, for %s.", m.o.method, m.o.path, m.o.callers())
	for _, a := range arguments {
		if a.about != "" {
			fmt.Fprintf(&b, "\n\n%s: %s", a.name, a.about)
		}
	}
	common := m.c.commonCodes()
	own := slices.DeleteFunc(m.o.codes(), func(code string) bool { return slices.Contains(common, code) })
	if len(own) > 0 {
		fmt.Fprintf(&b, "\n\nErrors: %s.", strings.Join(own, ", "))
	}
	pythonDoc(m.b, "        ", b.String())
}

// given returns the arguments with which a method calls the surface: the operation, and the parts of the request.
func (m pythonMethod) given() string {
	parts := []string{"_" + strings.ToUpper(snake(m.o.id))}
	for _, in := range []string{"path", "query", "body"} {
		var list []string
		for _, a := range m.arguments {
			if a.in == in {
				list = append(list, strconv.Quote(a.wire)+": "+a.name)
			}
		}
		if list != nil {
			parts = append(parts, in+"={"+strings.Join(list, ", ")+"}")
		}
	}
	if m.o.body != nil && !strings.Contains(strings.Join(parts, " "), "body={") {
		parts = append(parts, "body={}")
	}
	for _, a := range m.arguments {
		if a.in == "option" {
			parts = append(parts, a.name+"="+a.name)
		}
	}
	if line := strings.Join(parts, ", "); len(line) <= 80 {
		return line
	}
	return "\n            " + strings.Join(parts, ",\n            ") + ",\n        "
}
