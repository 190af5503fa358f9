/** A queue of arrived items. It pauses its producer while too many items wait. */
export class Inbox<T> {
  readonly #most: number;
  readonly #pause: () => void;
  readonly #resume: () => void;
  #items: T[] = [];
  #paused = false;
  #ended = false;
  #arrived: () => void = () => {};

  /** Calls `pause` when more than `most` items wait, and `resume` once all of them were taken. */
  constructor(most: number, pause: () => void, resume: () => void) {
    this.#most = most;
    this.#pause = pause;
    this.#resume = resume;
  }

  get paused(): boolean {
    return this.#paused;
  }

  put(item: T): void {
    if (this.#ended) return;
    this.#items.push(item);
    if (this.#items.length > this.#most && !this.#paused) {
      this.#paused = true;
      this.#pause();
    }
    this.#arrived();
  }

  /** Marks the end; items that have arrived can still be taken. */
  end(): void {
    this.#ended = true;
    this.#arrived();
  }

  /** Returns all items that have arrived and waits for the first; undefined once it has ended and is empty. */
  async take(): Promise<readonly T[] | undefined> {
    while (this.#items.length === 0) {
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    const items = this.#items;
    this.#items = [];
    if (this.#paused && !this.#ended) {
      this.#paused = false;
      this.#resume();
    }
    return items;
  }
}
