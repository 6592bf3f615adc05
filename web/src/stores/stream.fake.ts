// A fake EventSource and a fake document, controlled by tests.

import { vi } from 'vitest';

export class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readonly url: string;
  /** The kinds of events that the page listens for. */
  readonly kinds: string[] = [];
  readyState = 1;
  constructor(url: string) {
    super();
    this.url = url;
    Source.all.push(this);
  }
  override addEventListener(kind: string, handler: EventListenerOrEventListenerObject | null): void {
    this.kinds.push(kind);
    super.addEventListener(kind, handler);
  }
  close(): void {
    this.readyState = Source.CLOSED;
  }
  emit(kind: string, data: unknown, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }));
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }
}

const documentElement = { lang: 'en', hasAttribute: () => false };
const newPage = () => Object.assign(new EventTarget(), { hidden: false, documentElement });
let page = newPage();

export function setVisible(visible: boolean): void {
  page.hidden = !visible;
  page.dispatchEvent(new Event('visibilitychange'));
}

/** Returns the open stream. */
export function open(): Source {
  const last = Source.all.at(-1);
  if (!last || last.readyState === Source.CLOSED) throw new Error('no stream is open');
  return last;
}

/** Begins a test: a visible page without a stream, at a fake time, with no module loaded. */
export function install(): void {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal('EventSource', Source);
  page = newPage();
  vi.stubGlobal('document', page);
  Source.all = [];
}

export function uninstall(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
}
