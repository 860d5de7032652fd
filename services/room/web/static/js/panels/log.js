/** The log: sentences grouped by turn and phase, newest group first, with filters. */
import { cls, html, useState } from '../html.js';
import { isFaction, nameOf, phaseName } from '../facts.js';
import { Badge } from '../glyphs.js';
import { grouped } from '../log.js';

export function Log({ log, seat }) {
  const [only, setOnly] = useState('');
  const [all, setAll] = useState(false);
  const lines = log.filter((line) => !only || (only === 'mine' ? line.mine : line.by === only));
  const groups = grouped(lines);
  const factions = [...new Set(log.map((line) => line.by).filter(isFaction))];
  return html`<div class="log-panel">
    <div class="filters" role="group" aria-label="Show">
      <button type="button" aria-pressed=${String(!only)} onClick=${() => setOnly('')}>Everything</button>
      ${seat ? html`<button type="button" aria-pressed=${String(only === 'mine')} onClick=${() => setOnly('mine')}>About me</button>` : ''}
      ${factions.map((faction) => html`<button type="button" key=${faction} aria-pressed=${String(only === faction)} aria-label=${nameOf(faction)}
        onClick=${() => setOnly(only === faction ? '' : faction)}><${Badge} faction=${faction} /></button>`)}
    </div>
    <div class="log" role="log" aria-label="What happened">
      ${groups.slice(0, all ? groups.length : 12).map((group, index) => html`<details key=${`${group.turn}-${group.phase}-${groups.length - index}`} open=${index < 2}>
        <summary>${group.turn ? `Turn ${group.turn}, ` : ''}${phaseName(group.phase)}</summary>
        <ol>${group.lines.map((line, at) => html`<li key=${at} class=${cls(line.mine && 'mine')}>
          ${isFaction(line.by) ? html`<${Badge} faction=${line.by} letters=${false} />` : html`<span class="dot" aria-hidden="true"></span>`}
          <span>${line.text}</span></li>`)}</ol></details>`)}
      ${groups.length ? '' : html`<p class="muted">Nothing yet since this page was opened.</p>`}
    </div>
    ${groups.length > 12 && !all ? html`<button type="button" class="button ghost" onClick=${() => setAll(true)}>Show all</button>` : ''}
  </div>`;
}
