// Announcements for screen readers (outcomes, copies, new pages) in one polite live region of App.svelte.

class Announcer {
  text = $state('');

  say(text: string): void {
    // A repeated text must be announced again, so a no-break space makes it different.
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}

export const announcer = new Announcer();
