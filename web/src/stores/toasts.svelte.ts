// Toasts: short notes at the edge of the page, such as an unlocked achievement.

import { announcer } from './announce.svelte.ts';

export interface Toast {
  id: number;
  title: string;
  text: string;
  href: string;
  /** The text that determines the seal beside the note. */
  seal: string;
}

/** Milliseconds that a toast stays, and longer after each before it. Its list of achievements stays available. */
const [toastMs, turnMs] = [8000, 3000];

class Toasts {
  all = $state.raw<readonly Toast[]>([]);
  #ids = 0;

  show(toast: Omit<Toast, 'id'>): void {
    const id = ++this.#ids;
    const stay = toastMs + turnMs * this.all.length;
    this.all = [...this.all, { ...toast, id }];
    announcer.say(`${toast.title}. ${toast.text}`);
    setTimeout(() => this.close(id), stay);
  }

  close(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
