/** The log: sentences of the events that this seat saw, with the turn and phase in which they fell. */

const KEPT = 600;

/**
 * The log after some more events. Pure.
 * @param {import('./types.js').LogLine[]} lines
 * @param {import('./types.js').GameEvent[]} events
 * @param {{turn: number, phase: string}} at where the game stood before them
 * @param {string|null} seat whose log it is
 * @param {number} seq
 */
export function withEvents(lines, events, at, seat, seq) {
  let { turn, phase } = at;
  const added = [];
  for (const event of events) {
    if (event.event === 'TurnBegan') turn = event.turn;
    if (event.event === 'PhaseBegan') phase = event.phase;
    if (!event.text || event.event === 'PhaseBegan' || event.event === 'TurnBegan') continue;
    const by = event.faction || event.payer || event.by || event.owner || '';
    added.push({ turn, phase, text: event.text, seq, by, mine: !!seat && JSON.stringify(event).includes(`"${seat}"`) });
  }
  return added.length ? [...lines, ...added].slice(-KEPT) : lines;
}

/**
 * The log that comes with a whole view: the latest events, from the beginning of the first phase that is whole.
 * @param {import('./types.js').GameEvent[]} events
 * @param {{turn: number, phase: string, seat: string|null}} view
 * @param {number} seq
 */
export function fromWhole(events, view, seq) {
  if (events[0]?.event === 'GameBegan') return withEvents([], events, { turn: 0, phase: 'setup' }, view.seat, seq);
  const first = events.findIndex((event) => event.event === 'PhaseBegan');
  if (first < 0) return withEvents([], events, view, view.seat, seq);
  const next = events.slice(first).find((event) => event.event === 'TurnBegan');
  const turn = next ? next.turn - 1 : view.turn;
  return withEvents([], events.slice(first), { turn, phase: '' }, view.seat, seq);
}

/**
 * Lines grouped as they are shown: newest group first, each a phase of a turn.
 * @param {import('./types.js').LogLine[]} lines
 */
export function grouped(lines) {
  const groups = [];
  for (const line of lines) {
    const last = groups[groups.length - 1];
    if (last && last.turn === line.turn && last.phase === line.phase) last.lines.push(line);
    else groups.push({ turn: line.turn, phase: line.phase, lines: [line] });
  }
  return groups.reverse();
}
