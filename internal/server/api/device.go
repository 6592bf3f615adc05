package api

import (
	"context"
	"net/http"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// deviceCookie is the name of the cookie by which a browser is known that has signed in. It grants nothing: see
// account.Service.RememberDevice.
const deviceCookie = "roshambo_device"

// knownDevice returns the token of the caller's browser; zero for none.
func (a *call) knownDevice() account.DeviceToken {
	cookie, err := a.r.Cookie(a.cookie(deviceCookie))
	if err != nil {
		return account.DeviceToken{}
	}
	return account.ParseDevice(cookie.Value)
}

// remember makes the caller's browser known for the account that it has signed in to, in the
// transaction of the sign-in. The browser gets a token if it has none.
func (a *call) remember(ctx context.Context, tx *store.Tx, opened account.Opened) error {
	if a.device.None() {
		a.device = a.knownDevice()
	}
	if a.device.None() {
		var err error
		if a.device, err = a.Accounts.NewDevice(); err != nil {
			return err
		}
	}
	return a.Accounts.RememberDevice(ctx, tx, opened.Account.Address, a.device)
}

// signIn runs a use case that opens a session, and remembers the browser.
func (a *call) signIn(
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
func (a *call) setDeviceCookie() {
	if a.device.None() {
		return
	}
	http.SetCookie(a.w, &http.Cookie{
		Name: a.cookie(deviceCookie), Value: a.device.Text(), Path: "/", MaxAge: int(account.DeviceLife.Seconds()),
		HttpOnly: true, Secure: a.Secure, SameSite: http.SameSiteLaxMode,
	})
}
