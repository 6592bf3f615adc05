package httpapi

import (
	"context"
	"net/http"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// The cookie by which a browser is known that has signed in. It grants nothing: see
// account.Service.RememberDevice.
const (
	plainDeviceCookie  = "roshambo_device"
	secureDeviceCookie = "__Host-roshambo_device"
)

// deviceCookie returns the name of the cookie, which depends on https.
func (a *API) deviceCookie() string {
	if a.Secure {
		return secureDeviceCookie
	}
	return plainDeviceCookie
}

// device returns the token of the caller's browser; zero for none.
func (a *API) device(r *http.Request) account.DeviceToken {
	cookie, err := r.Cookie(a.deviceCookie())
	if err != nil {
		return account.DeviceToken{}
	}
	return account.ParseDevice(cookie.Value)
}

// remember makes the caller's browser known for the account that it has signed in to, in the
// transaction of the sign-in. The browser gets a token if it has none.
func (a *API) remember(ctx context.Context, tx *store.Tx, opened account.Opened) error {
	e := stateOf(ctx)
	if e.device.None() {
		e.device = a.device(e.r)
	}
	if e.device.None() {
		var err error
		if e.device, err = a.Accounts.NewDevice(); err != nil {
			return err
		}
	}
	return a.Accounts.RememberDevice(ctx, tx, opened.Account.Address, e.device)
}

// signIn runs a use case that opens a session, and remembers the browser.
func (a *API) signIn(
	ctx context.Context, open func(ctx context.Context, tx *store.Tx) (account.Opened, error),
) (*account.Opened, error) {
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*account.Opened, error) {
		opened, err := open(ctx, tx)
		if err != nil {
			return nil, err
		}
		return &opened, a.remember(ctx, tx, opened)
	})
}

// setDeviceCookie stores the token of remember in the browser.
func (a *API) setDeviceCookie(e *requestState) {
	if e.device.None() {
		return
	}
	http.SetCookie(e.w, &http.Cookie{
		Name: a.deviceCookie(), Value: e.device.Text(), Path: "/", MaxAge: int(account.DeviceLife.Seconds()),
		HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}
