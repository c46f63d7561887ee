// What the server knows, kept fresh: state, colours, points, cards; and what happens when the server is gone.

import { Gone, Refused, getBytes, getJson, listen } from "./api.js";

/** A "change" event tells that something may look different. `Studio` adds what a person can do. */
export class Feed extends EventTarget {
  constructor(map) {
    super();
    this.map = map;
    this.state = null;
    this.tab = "questions";
    this.progress = [];
    this.disagreements = [];
    this.cards = new Map(); // row -> promise of its card; emptied by a fit
    this.numbers = new Map(); // row -> its number in the file, where it was heard of
    this.offset = 1; // what a number is larger than its row, if no row is left out between
    this.hungry = false; // new questions are wanted after the fit
    this.status = "";
    this.said = null; // the last answer, its revision and words, until its fit is announced
    this.coloured = -1; // revision of the fit whose colours are shown
    this.trouble = null; // a sentence while the server is gone
  }

  changed() {
    if (this.state) this.dispatchEvent(new Event("change"));
  }

  say(words) {
    this.status = words;
    this.changed();
  }

  numberOf(row) {
    return this.numbers.get(row) ?? row + this.offset;
  }

  learn(row, number) {
    this.numbers.set(row, number);
    this.offset = number - row;
  }

  /** The row with a number of the file, or -1; numbers rise with rows, but rows may be left out between. */
  async rowNumbered(number) {
    let row = number - this.offset;
    for (let step = 0; step < 20; step++) {
      row = Math.max(0, Math.min(this.state.rows - 1, row));
      const found = (await this.card(row)).number;
      if (found === number) return row;
      const next = Math.max(0, Math.min(this.state.rows - 1, row + number - found));
      if (next === row) return -1;
      row = next;
    }
    return -1;
  }

  // ------------------------------------------------------------------ loading
  async start() {
    await this.refresh(true);
    if (!this.state) return;
    listen((kind, data) => this.news(kind, data));
    await this.ask();
  }

  async news(kind, data) {
    if (kind === "bye") return this.lost(new Gone("The studio was stopped. Everything is saved; start it again to go on."));
    if (kind === "changed" && (this.sending() || data.rev === this.state.rev)) return; // our own answer brings its state
    await this.refresh(kind === "fitted");
  }

  /** Fetch the state, and the colours if the model or the answers changed. One at a time, the last one counts. */
  async refresh(force = false) {
    this.forced ||= force;
    if (this.refreshing) {
      this.stale = true;
      return this.refreshing;
    }
    this.refreshing = (async () => {
      do {
        this.stale = false;
        const forced = this.forced;
        this.forced = false;
        try {
          await this.load(forced);
          this.found();
        } catch (error) {
          this.lost(error);
        }
      } while (this.stale);
    })();
    await this.refreshing;
    this.refreshing = null;
  }

  async load(force) {
    const before = this.state;
    const colours = force && before ? this.loadMembers() : null; // beside the state, not after it
    const state = await getJson("/api/state");
    const moved = !before || before.fitted !== state.fitted || before.rev !== state.rev;
    this.adopt(state);
    if (before?.view.rev !== state.view.rev) await this.loadPoints();
    if (!moved && !force) return this.changed();
    const { bytes, fitted } = await (colours ?? this.loadMembers());
    if (bytes.length !== (this.map.points.length / 2) * 3) return; // the view changed meanwhile
    this.map.setMembers(bytes, this.state.clusters);
    this.map.show({ links: this.state.links });
    this.fitted(fitted);
    this.changed();
    await this.loadRest();
  }

  async loadMembers() {
    const { bytes, headers } = await getBytes("/api/members");
    return { bytes: new Uint8Array(bytes), fitted: Number(headers.get("X-Rev")) };
  }

  async loadPoints() {
    const [points, drawn] = await Promise.all([
      getBytes("/api/points"),
      this.state.drawn < this.state.rows ? getBytes("/api/drawn") : null,
    ]);
    this.map.setPoints(new Float32Array(points.bytes), drawn && new Uint32Array(drawn.bytes));
  }

  async loadRest() {
    this.progress = (await getJson("/api/progress")).points;
    if (this.tab === "disagreements") this.disagreements = (await getJson("/api/disagreements")).rows;
    this.changed();
  }

  /** Answers may overtake each other on the way: keep the newest state. */
  adopt(state) {
    const { rev, fitted } = this.state ?? { rev: 0, fitted: 0 };
    if (state.rev > rev || (state.rev === rev && state.fitted >= fitted)) this.state = state;
  }

  /** Colours came: announce the answer that they hold; if they are new, so are cards and questions. */
  fitted(rev) {
    if (this.said && rev >= this.said.rev) {
      this.status = `${this.said.words}; model fitted.`;
      this.said = null;
    }
    if (this.coloured === rev) return;
    this.coloured = rev;
    this.cards.clear();
    if (this.hungry) this.ask();
    else this.prepare();
  }

  card(row) {
    if (!this.cards.has(row)) {
      const fetched = getJson(`/api/row/${row}`);
      fetched.then((card) => this.learn(card.row, card.number)).catch(() => this.cards.delete(row));
      this.cards.set(row, fetched);
    }
    return this.cards.get(row);
  }

  // ------------------------------------------------------------------ when things go wrong
  lost(error) {
    if (error instanceof Refused) return this.say(error.message);
    if (!(error instanceof Gone)) throw error;
    this.trouble = error.stranger
      ? "The studio was started anew. Open the address that it printed; your answers are saved."
      : `${error.message} Trying again; nothing is lost.`;
    this.changed();
  }

  found() {
    if (!this.trouble) return;
    this.trouble = null;
    this.say("The studio is back.");
  }

  overtaken(state) {
    this.state = state;
    this.said = null;
    this.status = "Another tab changed the session; this page shows the newer state.";
    this.refresh(true);
  }
}
