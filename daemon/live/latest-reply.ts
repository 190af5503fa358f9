/**
 * Sends one reply at a time. Of the replies that are requested until the connection has taken the previous one, only the last is sent, so
 * that a client that asks without reading costs no more than one that reads.
 */
export class LatestReply<T> {
  readonly #send: (value: T, onTaken: () => void) => void;
  #isSending = false;
  #next: { readonly value: T } | undefined;

  constructor(send: (value: T, onTaken: () => void) => void) {
    this.#send = send;
  }

  request(value: T): void {
    if (this.#isSending) {
      this.#next = { value };
      return;
    }
    this.#isSending = true;
    this.#send(value, () => {
      const next = this.#next;
      this.#isSending = false;
      this.#next = undefined;
      if (next) this.request(next.value);
    });
  }
}
