// What a screen reader is told: the outcome of a throw, a copy made, a new page. One polite region, in App.svelte.

class Announcer {
  text = $state('');

  say(text: string): void {
    // The same sentence twice must be read twice: a no-break space makes it another text.
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}

export const announcer = new Announcer();
