// Notifications of the browser, for pages that are hidden.

import { router } from '../router.svelte.ts';

/** Shows a notification if the page is hidden and the player allows them. A click opens `path`. */
export function notify(title: string, body: string, path: string): void {
  if (!document.hidden || typeof Notification === 'undefined' || Notification.permission !== 'granted')
    return;
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
