// The current password is asked for when the service asks for it, and not before.
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import CurrentPassword from './CurrentPassword.svelte';

const [field, link] = ['autocomplete="current-password"', 'Sign in again with an email link first'];

test.each([
  ['shortly after signing in', { hasPassword: true, needed: false }, '', '!'],
  ['ten minutes later', { hasPassword: true, needed: true }, field, link],
  ['ten minutes later, without a password', { hasPassword: false, needed: true }, link, field],
  ['refused, as the clocks differ', { hasPassword: true, needed: false, error: 'x' }, field, link],
  ['refused, without a password', { hasPassword: false, needed: false, error: 'x' }, link, field],
])('%s', (_, state, shows, hides) => {
  const { body } = render(CurrentPassword, {
    props: { label: 'Current password', value: '', error: undefined, ...state },
  });
  const text = body.replace(/<!--[^]*?-->/g, '').trim();
  if (shows === '') expect(text).toBe('');
  expect(text).toContain(shows);
  expect(text).not.toContain(hides);
});
