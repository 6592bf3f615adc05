// Notifications of the browser, for pages that are hidden: the player's choice, and what the browser permits.

import { router } from '../router.svelte.ts';
import { getStored, setStored } from './storage.ts';

function permission(): NotificationPermission | undefined {
  return typeof Notification === 'undefined' ? undefined : Notification.permission;
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

class Notifications {
  #permission = $state(permission());
  #wanted = $state(getStored('notify', isBoolean) ?? true);
  #follower: (on: boolean) => void = () => undefined;

  /** `off` also before the browser was asked; `blocked` ends in its settings alone; `none` without support. */
  readonly state: 'on' | 'off' | 'blocked' | 'none' = $derived.by(() => {
    if (this.#permission === undefined) return 'none';
    if (this.#permission === 'denied') return 'blocked';
    return this.#permission === 'granted' && this.#wanted ? 'on' : 'off';
  });

  /** The choice may have changed in another tab, and the permission in the browser. */
  get on(): boolean {
    return permission() === 'granted' && (getStored('notify', isBoolean) ?? this.#wanted);
  }

  /**
   * Switches from the state that is shown: another tab may have asked the browser meanwhile. Asks the browser at first;
   * to be called from a click.
   */
  async toggle(): Promise<void> {
    const wants = this.state !== 'on';
    if (wants && permission() === 'default') await Notification.requestPermission();
    this.#permission = permission();
    this.#wanted = wants;
    setStored('notify', wants);
    this.#follower(this.on);
  }

  /** Calls `follower` with whether notifications are on, now and after each switch. Returns its end. */
  follow(follower: (on: boolean) => void): () => void {
    this.#follower = follower;
    follower(this.on);
    return () => (this.#follower = () => undefined);
  }
}

export const notifications = new Notifications();

/** Shows a notification if the page is hidden and the player allows them. A click opens `path`. */
export function notify(title: string, body: string, path: string): void {
  if (!document.hidden || !notifications.on) return;
  const options = { body, tag: path, data: path };
  try {
    const note = new Notification(title, options);
    note.onclick = () => {
      window.focus();
      router.go(path);
      note.close();
    };
  } catch {
    // Some phones allow notifications from a service worker only (sw.js).
    void navigator.serviceWorker
      .getRegistration()
      .then((worker) => worker?.showNotification(title, options))
      .catch(() => undefined);
  }
}
