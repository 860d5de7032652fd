/** The one stream of a table: whole views, changes and the room's state, taken up again after any break. */

/**
 * @typedef {{onView: (seq: number, view: any, log: any[]) => void,
 *   onChange: (seq: number, events: any[], patch: any) => boolean,
 *   onRoom: (room: any) => void, onState: (state: 'open'|'broken') => void}} Handlers
 */

/** `onChange` says false when a change is missing before this one; then the stream starts again with a whole view. */
export class TableStream {
  /** @param {string} code @param {Handlers} handlers */
  constructor(code, handlers) {
    this.code = code;
    this.handlers = handlers;
    this.seq = -1;
    this.pause = 500;
    /** @type {EventSource|null} */
    this.source = null;
    this.timer = 0;
  }

  /** Open the stream; `fresh` asks for a whole view even if some change could be resumed from. */
  open(fresh = false) {
    this.close();
    const after = fresh || this.seq < 0 ? '' : `?after=${this.seq}`;
    const source = new EventSource(`/api/rooms/${this.code}/stream${after}`);
    this.source = source;
    source.addEventListener('open', () => {
      this.pause = 500;
      this.handlers.onState('open');
    });
    source.addEventListener('view', (event) => {
      const { seq, view, log } = JSON.parse(event.data);
      this.seq = seq;
      this.handlers.onView(seq, view, log);
    });
    source.addEventListener('changed', (event) => this.changed(JSON.parse(event.data)));
    source.addEventListener('room', (event) => this.handlers.onRoom(JSON.parse(event.data)));
    source.addEventListener('error', () => this.failed(source));
  }

  /** @param {{seq: number, events: any[], patch: any}} change */
  changed({ seq, events, patch }) {
    if (seq <= this.seq) return;
    if (this.seq < 0 || seq !== this.seq + 1 || !this.handlers.onChange(seq, events, patch)) {
      this.seq = -1;
      this.open(true);
      return;
    }
    this.seq = seq;
  }

  /** @param {EventSource} source */
  failed(source) {
    if (source !== this.source) return;
    this.handlers.onState('broken');
    // The browser tries again by itself unless it gave up; a growing pause spares a server that is starting.
    source.close();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, 8000);
  }

  close() {
    clearTimeout(this.timer);
    if (this.source) this.source.close();
    this.source = null;
  }
}
