// The player whose page this is. Data that was read for one player is not shown to the next: the page is
// drawn anew (App.svelte), stores drop what they hold, and late answers to requests of the former player are
// refused.

/** The answer is for a player who has left the page. */
export class Superseded extends Error {}

class Viewer {
  /** Increases when the page passes from one player to another. */
  generation = $state(0);
  #address: string | undefined;
  readonly #drops: (() => void)[] = [];

  /** Calls `drop` whenever the page passes to another player, before it shows that player's account. */
  onChange(drop: () => void): void {
    this.#drops.push(drop);
  }

  /** Passes the page to the player with an address; undefined for a visitor. */
  pass(address: string | undefined): void {
    if (this.#address !== undefined && this.#address !== address) {
      this.generation++;
      for (const drop of this.#drops) drop();
    }
    this.#address = address;
  }

  /** Returns the answer to a request of the player. Errors: Superseded. */
  async answer<T>(request: Promise<T>): Promise<T> {
    const { generation } = this;
    const answer = await request;
    if (generation !== this.generation) throw new Superseded();
    return answer;
  }
}

export const viewer = new Viewer();
