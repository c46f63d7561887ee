// Answers on their way to the server: one after the other, none lost.

import { Conflict, Gone, Refused, post } from "./api.js";
import { stored } from "./dom.js";

const AGAIN = 1500; // ms until a request is sent again
const UNSENT = "unsent";

/**
 * A queue of changes. `hooks` has rev(), take(state, change) after a success, conflict(state),
 * refused(message), gone(error) and changed() whenever the number of waiting or kept changes differs.
 */
export class Answers {
  constructor(hooks) {
    this.hooks = hooks;
    this.queue = [];
    this.kept = stored.get(UNSENT, sessionStorage) ?? []; // refused by a newer revision, or left by a reload
    this.sending = false;
  }

  /** Send {path, body, words}; the revision is added on the way. */
  send(change) {
    this.queue.push(change);
    this.note();
    this.pump();
  }

  /** Send the kept changes again, on the newest revision. */
  again() {
    const kept = this.kept.splice(0);
    kept.forEach((change) => this.send(change));
    this.note();
  }

  drop() {
    this.kept = [];
    this.note();
  }

  note() {
    stored.set(UNSENT, [...this.kept, ...this.queue], sessionStorage);
    this.hooks.changed();
  }

  async pump() {
    if (this.sending) return;
    this.sending = true;
    try {
      while (this.queue.length && (await this.sendFirst()));
    } finally {
      this.sending = false;
    }
  }

  /** Send the first change; false if the server is gone and the change has to wait. */
  async sendFirst() {
    const change = this.queue[0];
    try {
      const { state } = await post(change.path, { ...change.body, base: this.hooks.rev() });
      this.queue.shift();
      this.note();
      this.hooks.take(state, change);
    } catch (error) {
      if (error instanceof Gone) {
        this.hooks.gone(error);
        setTimeout(() => this.pump(), AGAIN);
        return false;
      }
      this.queue.shift();
      if (error instanceof Conflict) {
        this.kept.push(change, ...this.queue.splice(0));
        this.hooks.conflict(error.state);
      } else if (error instanceof Refused) this.hooks.refused(error.message);
      else throw error;
      this.note();
    }
    return true;
  }
}
