/** The log: sentences of the events that this seat saw, with the turn and phase in which they fell. */

const KEPT = 600;
const key = (code, seat) => `sietch.log.${code}.${seat || 'watching'}`;

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

/** What this browser window kept of the log, so that a reload does not empty it. */
export function recall(code, seat) {
  try {
    const found = JSON.parse(sessionStorage.getItem(key(code, seat)) || 'null');
    return found && Array.isArray(found.lines) ? found : { seq: -1, lines: [] };
  } catch {
    return { seq: -1, lines: [] };
  }
}

/** Keep the log for a reload of this window; a full store loses only that. */
export function remember(code, seat, seq, lines) {
  try {
    sessionStorage.setItem(key(code, seat), JSON.stringify({ seq, lines }));
  } catch {
    sessionStorage.removeItem(key(code, seat));
  }
}
