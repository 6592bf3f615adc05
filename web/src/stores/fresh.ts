// What the page reads again by itself, and when: after the events that change it, and else slowly. One budget holds for
// all of these reads, so that an idle page sends at most four requests a minute, with the event stream and without it.

import { untrack } from 'svelte';
import { budget } from './budget.ts';
import { events, type Body, type Kind } from './events.svelte.ts';

/** What a page may show. `time` changes without events. */
const subjects = [
  ...(['account', 'blocks', 'challenges', 'cups', 'feed', 'head', 'lobby'] as const),
  ...(['market', 'mine', 'opponents', 'scores', 'time', 'turns'] as const),
] as const;
export type Subject = (typeof subjects)[number];

interface Change {
  of: readonly Subject[];
  /** The event concerns the viewer alone, and the viewer waits for it: it is read at once, beyond the budget. */
  own?: true;
}

/** What each kind of event changes. `reset` changes everything. */
export const changes: Readonly<Record<Kind, Change>> = {
  ready: { of: [] },
  reset: { of: subjects },
  end: { of: ['account'], own: true }, // the page says whose session has ended
  duel: { of: ['turns', 'mine'], own: true },
  presence: { of: [] }, // the page of the duel shows the event itself
  block: { of: ['blocks'] },
  duel_created: { of: ['lobby', 'mine'] },
  duel_joined: { of: ['lobby', 'mine'] },
  duel_expired: { of: ['lobby', 'mine'] },
  duel_cancelled: { of: ['lobby', 'mine'] },
  duel_started: { of: ['turns', 'mine', 'cups'], own: true },
  duel_finished: { of: ['turns', 'mine', 'opponents', 'scores'], own: true },
  duel_rematch: { of: ['mine'], own: true },
  duel_challenge: { of: ['challenges'], own: true },
  emote: { of: [] }, // the page of the duel shows the event itself
  cup: { of: ['cups'] },
  cup_result: { of: ['cups'] },
  matched: { of: ['turns'], own: true },
  feed: { of: ['feed', 'scores'] },
  listing: { of: ['market'] },
  sold: { of: ['account'], own: true },
  offer: { of: ['account'], own: true },
  key_ended: { of: ['account'], own: true },
};

/** Milliseconds in which several events cause one read. */
const debounce = 100;
/** Milliseconds between two reads of what the page is about. */
const aboutPause = 3000;
/** The default of Schedule.seconds. */
const slowly = 60;
/** The longest timer in milliseconds: timers stand still while a computer sleeps. */
const longest = 60_000;

/** The data of an event. */
type Data = NonNullable<Body<Kind>>;

interface Schedule {
  /** Seconds after a read until the next one without an event. The read was `since`, by performance.now(). */
  seconds?: number | ((since: number) => number);
  /** False leaves out the read at the beginning. */
  first?: boolean;
  /** Whether an event of the subject concerns what the page shows; by default, every one does. */
  of?: (event: Data) => boolean;
  /** Whether the viewer takes part in what the page shows, and waits for its events: they are read beyond the budget. */
  about?: () => boolean;
  /** The viewer's own events cause reads although the page is hidden. */
  hidden?: boolean;
}

/** Reads what has changed. The signal aborts with the follower, whose late answers are dropped. */
type Read = (signal: AbortSignal) => unknown;

interface Entry {
  subject: Subject;
  read: Read;
  over: AbortController;
  seconds: (since: number) => number;
  /** When the last read began, by performance.now(). */
  since: number;
  /** When an event is due to be read; Infinity without one. */
  changed: number;
  own: boolean;
  hidden: boolean;
  of: (event: Data) => boolean;
  about: (() => boolean) | undefined;
  busy: boolean;
}

class Fresh {
  readonly #entries = new Set<Entry>();
  #held = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    events.listen(Object.keys(changes) as Kind[], (data, kind) => {
      // The page of a duel follows its steps itself.
      if (kind === 'duel' && events.isNamed((data as Body<'duel'>)?.code ?? '')) return;
      for (const subject of changes[kind].of) this.touch(subject, changes[kind].own, data);
      // A stream opens some seconds after a page, which has missed the events in between.
      if (kind === 'ready') for (const { about, subject } of this.#entries) if (about) this.touch(subject);
    });
    document.addEventListener('visibilitychange', () => {
      const now = performance.now();
      if (!document.hidden && !this.#held)
        for (const entry of this.#entries) if (due(entry) <= now) this.#read(entry, now);
      this.#plan();
    });
  }

  /** Calls `read`, which sends one request, now and whenever `subject` may have changed. Returns the function that ends it. */
  follow(
    subject: Subject,
    read: Read,
    { seconds = slowly, first = true, hidden = false, of = () => true, about }: Schedule = {},
  ): () => void {
    const [wait, since] = [typeof seconds === 'number' ? () => seconds : seconds, performance.now()];
    const entry = {
      subject,
      read,
      over: new AbortController(),
      seconds: wait,
      since,
      changed: Infinity,
      own: false,
      hidden,
      of,
      about,
      busy: false,
    };
    this.#entries.add(entry);
    // In an effect, values read here are no dependency.
    untrack(() => {
      if (first) this.#read(entry, since);
      this.#plan();
    });
    return () => {
      this.#entries.delete(entry);
      entry.over.abort();
      this.#plan();
    };
  }

  /** Stops all reads that the page makes by itself, or lets them go on with those that have become due. */
  hold(held: boolean): void {
    this.#held = held;
    this.#plan();
  }

  /** Reads everything but the head, by which the page has just noticed the end of an outage. */
  all(): void {
    if (this.#held) return;
    const now = performance.now();
    for (const entry of this.#entries) if (!entry.busy && entry.subject !== 'head') this.#read(entry, now);
    this.#plan();
  }

  /** Reads `subject` soon: within the budget, unless it is the viewer's own. */
  touch(subject: Subject, own = false, event: Data | null = null): void {
    const at = performance.now() + debounce;
    for (const entry of this.#entries) {
      if (entry.subject !== subject || (event && !entry.of(event))) continue;
      const awaited = untrack(() => entry.about?.() ?? false);
      // Sixty players may join a cup within seconds.
      const soon = awaited ? Math.max(at, entry.since + aboutPause) : at;
      entry.changed = Math.min(entry.changed, soon);
      entry.own ||= own || awaited;
    }
    this.#plan();
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const waiting = this.#waiting();
    if (waiting.length === 0) return;
    const next = Math.min(
      now + longest,
      ...waiting.map((entry) => (entry.own ? due(entry) : Math.max(due(entry), budget.next(now)))),
    );
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.ceil(next - now)));
  }

  /** Returns what may be read. A hidden page reads nothing but what it notifies the viewer of. */
  #waiting(): Entry[] {
    if (this.#held) return [];
    return [...this.#entries].filter(
      ({ busy, own, hidden }) => !busy && (!document.hidden || (own && hidden)),
    );
  }

  #run(): void {
    const now = performance.now();
    const late = this.#waiting().filter((entry) => due(entry) <= now);
    for (const entry of late.sort((a, b) => due(a) - due(b))) {
      if (!entry.own && budget.next(now) > now) continue;
      if (!entry.own) budget.take(now);
      this.#read(entry, now);
    }
    this.#plan();
  }

  #read(entry: Entry, now: number): void {
    Object.assign(entry, { since: now, changed: Infinity, own: false, busy: true });
    void Promise.resolve(entry.read(entry.over.signal))
      .catch(() => undefined) // the readers keep their errors
      .finally(() => {
        entry.busy = false;
        this.#plan();
      });
  }
}

function due(entry: Entry): number {
  return Math.min(entry.changed, entry.since + 1000 * entry.seconds(entry.since));
}

export const fresh = new Fresh();
