/** The state of one room's page: what the stream told, drafts of answers, and what was sent. */
import { act, ApiError, request } from './api.js';
import { fromWhole, withEvents } from './log.js';
import { mergePatch, wholeView } from './merge.js';
import { TableStream } from './stream.js';

/**
 * @typedef {{room: import('./types.js').RoomState|null, view: import('./types.js').SeatView|null, seq: number,
 *   log: import('./types.js').LogLine[], unread: number, line: 'open'|'broken'|'opening', missing: string,
 *   drafts: Record<string, any>, sending: string, refusal: {offer: string, text: string, rule: string}|null,
 *   done: {text: string, at: number}|null, since: number}} State
 */

export class Store {
  /** @param {string} code */
  constructor(code) {
    this.code = code;
    /** @type {State} */
    this.state = {
      room: null, view: null, seq: -1, log: [], unread: 0, line: 'opening', missing: '', drafts: {}, sending: '',
      refusal: null, done: null, since: Date.now(),
    };
    /** @type {any} the view as it came, without the fields that were left out: patches fold into this one */
    this.raw = null;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    this.stream = new TableStream(code, {
      onView: (seq, view, log) => this.wholeCame(seq, view, log),
      onChange: (seq, events, patch) => this.changeCame(seq, events, patch),
      onRoom: (room) => this.set({ room: this.withYou(room) }),
      onState: (line) => this.set({ line }),
    });
  }

  /** @param {() => void} listener @returns {() => void} */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param {Partial<State>} changes */
  set(changes) {
    this.state = { ...this.state, ...changes };
    this.listeners.forEach((listener) => listener());
  }

  /** A room as streamed may not say who reads; then what the page knows of itself stays. */
  withYou(room) {
    return room.you ? room : { ...room, you: this.state.room?.you || { host: false } };
  }

  async begin() {
    try {
      this.set({ room: await request('GET', `/api/rooms/${this.code}`) });
    } catch (error) {
      this.set({ missing: error instanceof ApiError && error.status === 404 ? 'There is no room with this code.' : error.message });
      if (!(error instanceof ApiError) || error.status !== 404) setTimeout(() => this.begin(), 2000);
      return;
    }
    this.set({ missing: '' });
    this.stream.open();
  }

  /** Ask again who we are and what we may see: after taking or leaving a seat. */
  async again() {
    this.set({ room: await request('GET', `/api/rooms/${this.code}`) });
    this.stream.seq = -1;
    this.stream.open(true);
  }

  wholeCame(seq, raw, events) {
    this.raw = raw;
    const view = wholeView(raw);
    this.show(seq, view, fromWhole(events, view, seq));
  }

  changeCame(seq, events, patch) {
    if (!this.raw || !this.state.view) return false;
    const before = this.state.view;
    this.raw = mergePatch(this.raw, patch);
    const view = wholeView(this.raw);
    const log = withEvents(this.state.log, events, before, view.seat, seq);
    this.show(seq, view, log, this.state.unread + log.length - this.state.log.length);
    return true;
  }

  show(seq, view, log, unread = this.state.unread) {
    const waited = JSON.stringify(view.waiting) === JSON.stringify(this.state.view?.waiting);
    const open = new Set([...view.offers, ...view.standing].map((offer) => offer.id));
    const drafts = Object.fromEntries(Object.entries(this.state.drafts).filter(([id]) => open.has(id)));
    const refusal = this.state.refusal && open.has(this.state.refusal.offer) ? this.state.refusal : null;
    const asked = view.offers.some((offer) => !this.state.view?.offers.some((old) => old.id === offer.id));
    this.set({ seq, view, log, unread, drafts, refusal, since: waited ? this.state.since : Date.now() });
    if (asked && this.state.room?.settings.clock) this.refreshClocks();
  }

  /** How long there is for a new question comes with the room, not with the view. */
  async refreshClocks() {
    try {
      this.set({ room: this.withYou(await request('GET', `/api/rooms/${this.code}`)) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** @param {string} offer @param {any} value */
  draft(offer, value) {
    this.set({ drafts: { ...this.state.drafts, [offer]: value }, refusal: null });
  }

  /** Send an answer; true when it was accepted. @param {import('./types.js').Offer} offer @param {any} answer @param {string} said */
  async send(offer, answer, said) {
    if (this.state.sending) return false;
    this.set({ sending: offer.id, refusal: null });
    try {
      await act(this.code, offer.id, answer);
      this.set({ sending: '', done: { text: `Done: ${said}`, at: Date.now() } });
      return true;
    } catch (error) {
      const stale = error instanceof ApiError && error.status === 409;
      const text = stale ? 'This question is closed already; here is what is asked now.' : error.message;
      this.set({ sending: '', refusal: { offer: offer.id, text, rule: error.rule || '' }, done: null });
      if (stale) this.stream.open(true);
      return false;
    }
  }

  read() {
    if (this.state.unread) this.set({ unread: 0 });
  }
}
