package adminpage

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"roshambo/internal/platform/names"
)

// inputs returns fields with the given values, or their defaults. ok is false when a value is none of the
// options of its field: the form that has them was changed.
func inputs(fields []Field, given url.Values) (list []input, ok bool) {
	ok = true
	for _, f := range fields {
		i := input{f, f.Default}
		if given.Has(f.Name) {
			i.Value = given.Get(f.Name)
			ok = ok && (f.Options == nil || slices.Contains(f.Options, i.Value))
		}
		list = append(list, i)
	}
	return list, ok
}

// arguments returns the arguments of a call. complete is false when a required one is missing.
func arguments(list []input) (arguments map[string]string, complete bool) {
	arguments, complete = map[string]string{}, true
	for _, i := range list {
		arguments[i.Name] = i.Value
		complete = complete && (i.Value != "" || !i.Required)
	}
	return arguments, complete
}

// read shows the form of an act that only reads, with its answer once all that it needs is given.
func (p *Page) read(act Act) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		list, ok := inputs(act.Fields, r.URL.Query())
		out := &view{Title: act.Title(), visitor: v, Act: act, Inputs: list}
		given, complete := arguments(list)
		if !ok || !complete {
			p.show(w, http.StatusOK, "read", out)
			return
		}
		answer := p.Call(r.Context(), Call{Operator: v.Operator, Act: act.Name, Arguments: given})
		out.Message, out.Answer = answer.Message, valueOf(answer.Body)
		if answer.Message == "" {
			out.Account = given["account"]
		}
		p.show(w, answer.Status, "read", out)
	}
}

// showForm shows the first page of an act.
func (p *Page) showForm(act Act) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		list, _ := inputs(act.Fields, r.URL.Query())
		p.show(w, http.StatusOK, "form", &view{Title: act.Title(), visitor: v, Act: act, Inputs: list})
	}
}

// act answers the forms of an act: the form of the first page with what the act would hit, and the form of the
// second, which has a button, by doing it.
func (p *Page) act(act Act) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		if r.PostForm.Has("button") {
			p.do(w, r, v, act)
			return
		}
		list, ok := inputs(act.Fields, r.PostForm)
		given, complete := arguments(list)
		if !ok || !complete {
			p.show(w, http.StatusBadRequest, "form", &view{Title: act.Title(), visitor: v, Act: act, Inputs: list,
				Message: "Something is missing."})
			return
		}
		answer := p.Call(r.Context(), Call{Operator: v.Operator, Act: act.Name, Arguments: given, Preview: true})
		if answer.Hits == nil {
			p.refuse(w, v, act, given, answer)
			return
		}
		p.mu.Lock()
		token := v.session.buttons.add(p.Now(), button{act.Name, given})
		p.mu.Unlock()
		confirmation, _ := inputs(act.Confirmation, nil)
		p.show(w, http.StatusOK, "confirm", &view{Title: act.Title(), visitor: v, Act: act, Inputs: confirmation,
			Given: membersOf(act.Fields, given), Answer: valueOf(answer.Hits), Token: token, Back: back(act, given)})
	}
}

// do makes the call of a button. Of several requests with one button, as of a double click, one makes it.
func (p *Page) do(w http.ResponseWriter, r *http.Request, v *visitor, act Act) {
	p.mu.Lock()
	b, ok := v.session.buttons.take(p.Now(), r.PostForm.Get("button"))
	p.mu.Unlock()
	if !ok || b.act != act.Name {
		p.show(w, http.StatusConflict, "refused", &view{Title: "Not done again", visitor: v, Act: act, Back: back(act, nil),
			Message: "This button was used, or its page is older than ten minutes. The log of acts shows whether it was done."})
		return
	}
	confirmation, _ := inputs(act.Confirmation, r.PostForm)
	given, _ := arguments(confirmation)
	maps.Copy(given, b.arguments)
	answer := p.Call(r.Context(), Call{Operator: v.Operator, Act: act.Name, Arguments: given})
	if answer.Message != "" {
		p.refuse(w, v, act, b.arguments, answer)
		return
	}
	p.show(w, answer.Status, "done", &view{Title: act.Title() + ": done", visitor: v, Act: act,
		Given: membersOf(act.Fields, b.arguments), Answer: valueOf(answer.Body)})
}

// refuse shows the answer to a call that was not done.
func (p *Page) refuse(w http.ResponseWriter, v *visitor, act Act, given map[string]string, answer Answer) {
	p.show(w, answer.Status, "refused", &view{Title: act.Title() + ": not done", visitor: v, Act: act,
		Given: membersOf(act.Fields, given), Message: answer.Message, Back: back(act, given)})
}

// back returns the path of the first page of an act with its arguments.
func back(act Act, given map[string]string) string {
	query := url.Values{}
	for name, value := range given {
		query.Set(name, value)
	}
	return Path + act.Name + "?" + query.Encode()
}

// membersOf returns the arguments of an act as they are shown.
func membersOf(fields []Field, given map[string]string) (list []member) {
	for _, f := range fields {
		list = append(list, member{f.Title(), value{Text: names.Printable(given[f.Name])}})
	}
	return list
}

// showOverview shows the state of the service.
func (p *Page) showOverview(w http.ResponseWriter, r *http.Request, v *visitor) {
	o := &overview{Overview: p.Overview(r.Context())}
	for i, reason := range o.Reasons {
		o.Reasons[i] = names.Printable(reason)
	}
	for _, part := range o.Parts {
		o.Tables = append(o.Tables, member{part.Title, *valueOf(part.Value)})
	}
	p.show(w, http.StatusOK, "overview", &view{Title: "Overview", visitor: v, Overview: o})
}
