// What a person can do: answer, go from question to question, link, choose many rows, undo.

import { Answers } from "./answers.js";
import { getJson } from "./api.js";
import { either, percent, plural } from "./dom.js";
import { Feed } from "./feed.js";
import { nearestTo } from "./grid.js";
import { FLAG } from "./paint.js";

const BATCH = 5; // questions asked at a time
const BULK = 0.3; // strength of a label given by lasso: 500 rows in a lasso are not 500 answers
const PATIENCE = 1500; // ms that new questions wait for the fit
const UNSEEN = 400; // ms after which told marks are fetched although the fit goes on

export class Studio extends Feed {
  constructor(map) {
    super(map);
    this.theme = "light";
    this.questions = [];
    this.coming = null; // promise of the next questions
    this.answered = new Set(); // rows of this batch that were answered or skipped
    this.pairs = [];
    this.pairAt = 0;
    this.current = -1; // the row of the card
    this.subset = []; // classes of an "A or B"
    this.several = false; // clicks on classes collect an "A or B"
    this.mode = "move"; // or "lasso", or "link"
    this.first = -1; // the first row of a link
    this.chosen = []; // rows of a lasso
    this.opened = []; // rows of this page's answers, so that an undo opens the row again
    this.undone = [];
    this.following = false;
    this.answers = new Answers({
      rev: () => this.state.rev,
      take: (state, change) => this.taken(state, change),
      conflict: (state) => this.overtaken(state),
      refused: (message) => this.say(message),
      gone: (error) => this.lost(error),
      changed: () => this.changed(),
    });
  }

  sending() {
    return this.answers.queue.length > 0;
  }

  // ------------------------------------------------------------------ questions
  async ask() {
    this.hungry = false;
    this.coming = null;
    try {
      this.begin(await this.fetchQuestions());
    } catch (error) {
      this.lost(error);
    }
  }

  async fetchQuestions() {
    return (await getJson(`/api/ask?n=${BATCH}&kind=rows`)).questions;
  }

  /** Show new questions, the first one open. */
  begin(questions) {
    this.questions = questions;
    this.answered = new Set();
    questions.forEach(({ row, number }) => this.learn(row, number));
    if (!questions.length) this.say("No row is left to ask about.");
    this.question(0);
    this.questions.forEach((question) => this.card(question.row).catch(() => {}));
  }

  /** Fetch the next questions while the last one of these is read, so that nobody waits; called after a fit. */
  prepare() {
    const open = this.questions.filter((question) => !this.answered.has(question.row));
    if (open.length !== 1 || this.coming) return;
    const known = new Set(this.questions.map((question) => question.row));
    this.coming = this.fetchQuestions()
      .then((questions) => questions.filter((question) => !known.has(question.row)))
      .catch(() => []);
  }

  /** The question of the current row, or undefined. */
  get asked() {
    return this.questions.find((question) => question.row === this.current);
  }

  question(k) {
    const question = this.questions[k];
    this.open(question ? question.row : -1);
    if (question && this.following) this.map.centre(question.row);
  }

  /** Go `by` questions on. */
  step(by) {
    if (this.tab === "pairs") return this.pair(this.pairAt + by);
    const list = this.tab === "questions" ? this.questions : this.disagreements;
    if (!list.length) return this.tab === "questions" ? this.ask() : undefined;
    const at = list.findIndex((one) => one.row === this.current);
    const next = at < 0 ? 0 : (at + by + list.length) % list.length;
    this.tab === "questions" ? this.question(next) : this.open(list[next].row);
  }

  /** Position of the first question without an answer, or -1. */
  nextOpen() {
    return this.questions.findIndex((question) => !this.answered.has(question.row));
  }

  /** Go back to the questions: to the first one without an answer, or to new ones. */
  resume() {
    return this.nextOpen() < 0 ? this.ask() : this.question(this.nextOpen());
  }

  /** After an answer: the next question that is open, or new questions once the model has learned. */
  advance() {
    if (this.tab !== "questions" || !this.asked) return;
    this.answered.add(this.current);
    if (this.nextOpen() >= 0) return this.question(this.nextOpen());
    this.hungry = true;
    this.open(-1);
    setTimeout(() => this.hungry && this.ask(), PATIENCE);
    this.coming?.then((questions) => {
      this.coming = null;
      if (!this.hungry || !questions.length) return;
      this.hungry = false;
      this.begin(questions);
    });
  }

  open(row) {
    this.current = row;
    this.subset = [];
    this.map.show({ current: row, first: this.first });
    this.changed();
  }

  async show(tab) {
    this.tab = tab;
    this.first = -1;
    this.changed();
    try {
      if (tab === "disagreements") {
        this.disagreements = (await getJson("/api/disagreements")).rows;
        if (this.disagreements.length) this.open(this.disagreements[0].row);
      } else if (tab === "pairs") await this.askPairs();
      else if (!this.asked) this.resume();
    } catch (error) {
      this.lost(error);
    }
    this.changed();
  }

  async askPairs() {
    this.pairs = (await getJson(`/api/ask?n=${BATCH}&kind=pairs`)).questions;
    for (const pair of this.pairs) {
      this.learn(pair.row, pair.number);
      this.learn(pair.other, pair.other_number);
    }
    this.pair(0);
  }

  pair(at) {
    this.pairAt = this.pairs.length ? (at + this.pairs.length) % this.pairs.length : 0;
    const pair = this.pairs[this.pairAt];
    this.first = pair ? pair.row : -1;
    this.open(pair ? pair.other : -1);
  }

  // ------------------------------------------------------------------ answers
  send(events, words) {
    this.opened.push(this.chosen.length || events[0].do === "link" ? -1 : this.current);
    this.undone = [];
    this.answers.send({ path: "/api/events", body: { events }, words });
  }

  taken(state, { body, words }) {
    this.adopt(state);
    this.map.show({ links: this.state.links });
    this.trouble = null;
    this.said = body.view ? null : { words, rev: state.rev }; // a view needs no fit
    this.say(`${words}.`);
    if (body.events) body.events.flatMap((event) => event.rows ?? []).forEach((row) => this.cards.delete(row));
    else this.cards.clear();
    if (state.busy) setTimeout(() => this.refresh(true), UNSEEN);
    else this.refresh(true);
  }

  /** Tell degrees of the chosen rows, or of the current row. */
  tell(degrees) {
    const words = degreeWords(degrees);
    if (this.chosen.length) {
      const rows = this.chosen;
      const event = { do: "label", rows, degrees, strength: BULK, asked: null, shown: null };
      this.send([event], `${plural(rows.length, "row")} ${rows.length === 1 ? "is" : "are"} ${words}`);
      return this.choose([]);
    }
    if (this.current < 0) return this.say("No row is open: choose one on the map, or press a to be asked.");
    const row = this.current;
    const event = { do: "label", rows: [row], degrees, strength: 1, ...this.origin() };
    this.send([event], `Row ${this.numberOf(row)} is ${words}`);
    this.subset = [];
    this.several = false;
    this.advance();
  }

  /** Why the current row was asked, and what the model foresaw. */
  origin() {
    const question = this.asked;
    return { asked: question?.reason ?? null, shown: question?.first ?? null };
  }

  none() {
    this.aboutRows("none", (rows) => `${rows} none of these`);
  }

  skip() {
    if (this.tab === "pairs") return this.step(1);
    this.aboutRows("skip", (rows) => `${rows} skipped`);
  }

  aboutRows(kind, words) {
    const rows = this.chosen.length ? this.chosen : [this.current];
    if (rows[0] < 0) return this.say("No row is open.");
    const name = rows.length > 1 ? `${plural(rows.length, "row")} are` : `Row ${this.numberOf(rows[0])} is`;
    const origin = this.chosen.length || kind === "skip" ? {} : this.origin();
    this.send([{ do: kind, rows, ...origin }], words(name));
    if (this.chosen.length) this.choose([]);
    else this.advance();
  }

  forget(row) {
    this.send([{ do: "forget", rows: [row] }], `The answer about row ${this.numberOf(row)} was taken back`);
  }

  addToSubset(name) {
    this.subset = this.subset.includes(name) ? this.subset.filter((other) => other !== name) : [...this.subset, name];
    this.say(this.subset.length ? `${either(this.subset)}: press enter to tell it` : "");
  }

  undo() {
    if (!this.state.undo) return this.say("There is nothing to undo.");
    this.answers.send({ path: "/api/undo", body: {}, words: `Undone: ${this.state.undo}` });
    const row = this.opened.pop() ?? -1;
    this.undone.push(row);
    this.answered.delete(row);
    if (row < 0 || this.tab === "pairs") return;
    this.hungry = false;
    this.open(row); // to be answered again
  }

  redo() {
    if (!this.state.redo) return this.say("There is nothing to redo.");
    this.answers.send({ path: "/api/redo", body: {}, words: `Done again: ${this.state.redo}` });
    const row = this.undone.pop() ?? -1;
    this.opened.push(row);
    if (row >= 0 && row === this.current) this.advance();
  }

  settings(body, words) {
    this.answers.send({ path: "/api/settings", body, words });
  }

  // ------------------------------------------------------------------ links and lasso
  setMode(mode) {
    this.mode = this.mode === mode ? "move" : mode;
    this.first = -1;
    this.choose([]);
    if (this.mode === "lasso") this.status = "Draw a line around rows on the map.";
    if (this.mode === "link") this.status = "Choose the first row of the link; enter takes the open row.";
    this.map.show({ first: -1 });
    this.changed();
  }

  /** A click on the map, or arrow keys on it. */
  pick(row) {
    if (this.mode === "link" && this.first < 0) this.first = row;
    this.open(row);
    if (this.mode !== "link") return;
    const from = this.numberOf(this.first);
    if (row === this.first) this.say(`Link from row ${from}: choose the other row.`);
    else this.say(`Rows ${from} and ${this.numberOf(row)}: press m if they belong together, c if not.`);
  }

  /** m and c: in the pairs tab an answer; elsewhere the first press marks a row, the second links it. */
  link(same) {
    const other = this.current;
    if (other < 0) return this.say("No row is open: choose one on the map.");
    if (this.first < 0 || this.first === other) {
      this.mode = "link";
      return this.pick(other);
    }
    const rows = [this.first, other];
    const words = `Rows ${this.numberOf(rows[0])} and ${this.numberOf(other)} ${same ? "belong together" : "do not belong together"}`;
    this.send([{ do: "link", rows, same }], words);
    if (this.tab === "pairs") return this.pairAt + 1 < this.pairs.length ? this.pair(this.pairAt + 1) : this.askPairs();
    this.mode = "move";
    this.first = -1;
    this.map.show({ first: -1 });
    this.changed();
  }

  unlink(row, other) {
    const words = `The link of rows ${this.numberOf(row)} and ${this.numberOf(other)} was removed`;
    this.send([{ do: "unlink", rows: [row, other] }], words);
  }

  /** Choose points of the map for one answer; rows that were told by hand are left alone. */
  choose(points) {
    const flags = (point) => this.map.members[3 * point + 2];
    const free = points.filter((point) => !(flags(point) & FLAG.told) || flags(point) & FLAG.bulk);
    this.chosen = free.map((point) => this.map.rowOf(point));
    this.map.show({ chosen: free });
    const left = points.length - free.length;
    if (points.length) this.mode = "move";
    const alone = left ? `, ${left} told by hand left alone` : "";
    if (free.length) this.say(`${plural(free.length, "row")} chosen${alone}. Which class?`);
    else if (left) this.say("All of these rows were told by hand already.");
    else this.changed();
  }

  chooseNearest(n) {
    const point = this.map.pointOf(this.current);
    if (point < 0) return this.say("No row is open: choose one on the map.");
    this.choose(nearestTo(this.map.points, point, n));
  }

  /** Escape: leave what is half done. */
  leave() {
    this.subset = [];
    this.several = false;
    this.mode = "move";
    if (this.tab !== "pairs") this.first = -1;
    this.map.show({ first: this.first, path: [] });
    this.choose([]);
    this.say("");
  }
}

function degreeWords(degrees) {
  const names = Object.keys(degrees);
  const whole = Object.values(degrees).every((degree) => degree === 1);
  return whole ? either(names) : names.map((name) => `${name} ${percent(degrees[name])}`).join(", ");
}
