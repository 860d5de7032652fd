/** The line at the top: where the game stands and whom it waits for; and the sheet of the turn behind it. */
import { cls, html, useEffect, useState } from './html.js';
import { forcesText, nameOf, phaseName, PHASES, total } from './facts.js';
import { Badge } from './glyphs.js';
import { inSentence, kindName } from './phrases.js';
import { ownNexusCard } from './panels/nexus.js';
import { Sheet } from './ui.js';

/** "3 min", "12 s": how long we have waited, drawn again now and then. */
function useAge(since) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, [since]);
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  return seconds < 20 ? '' : seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

export function StatusLine({ store, onOpen }) {
  const { view, line, since } = store.state;
  const age = useAge(since);
  const whom = view.waiting.flatMap((one) => one.seats);
  const mine = view.seat && whom.includes(view.seat);
  return html`<header class=${cls('status', mine && 'mine')}>
    <button type="button" class="status-button" onClick=${onOpen} data-testid="status">
      ${view.turn ? html`<span class="turn">Turn <b>${view.turn}</b><span class="muted">/${view.settings.last_turn ?? 10}</span></span>` : ''}
      <span class="phase">${phaseName(view.phase)}</span>
      <span class="sr">, </span><span class="storm-at"><svg class="storm-icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M20 8a8 8 0 0 0-15 1m-1 7a8 8 0 0 0 15-1M16 11a4.500 4.500 0 0 0-8 1m0 1a4.500 4.500 0 0 0 8-1" /></svg><span class="sr">Storm in sector </span>${view.storm}</span>
    </button>
    <div class="waiting" role="status">
      ${line === 'broken' ? html`<span class="broken">Connection lost, trying again…</span>`
        : view.result ? html`<span>Game over</span>`
        : whom.length ? html`<span class="muted">waiting for</span>
          ${[...new Set(whom)].map((faction) => html`<${Badge} key=${faction} faction=${faction} />`)}
          <span class="wait-kind">${mine ? 'you: ' : ''}${inSentence(kindName(view.waiting[0].kind))}${age ? html` <span class="muted">${age}</span>` : ''}</span>` : ''}
    </div>
  </header>`;
}

/** My own numbers, always in sight. */
export function Purse({ view }) {
  const me = view.factions[view.seat];
  if (!me) return html`<section class="purse-line watching" aria-label="What is yours">You are watching.</section>`;
  const hand = view.zones[`hand.${view.seat}`] || [];
  return html`<section class=${`purse-line f-${view.seat}`} aria-label="What is yours">
    <${Badge} faction=${view.seat} name />
    <span class="figure spice-figure"><b>${view.spice[view.seat] ?? 0}</b> spice</span>
    <span class="figure"><b>${hand.length}</b> ${hand.length === 1 ? 'card' : 'cards'}</span>
    ${ownNexusCard(view) ? html`<span class="figure"><b>1</b> Nexus</span>` : ''}
    <span class="figure"><b>${total(me.reserves)}</b> reserves</span>
    ${total(me.tanks) ? html`<span class="figure"><b>${total(me.tanks)}</b> in tanks</span>` : ''}
    ${me.ally ? html`<span class="figure">ally <${Badge} faction=${me.ally} /></span>` : ''}
  </section>`;
}

export function TurnSheet({ view, onClose }) {
  const order = view.order.length ? view.order : view.settings.seats || [];
  return html`<${Sheet} title=${view.turn ? `Turn ${view.turn} of ${view.settings.last_turn ?? 10}` : 'Setup'} onClose=${onClose}>
    <ol class="phases">${PHASES.map(([id, name]) => html`<li key=${id} class=${id === view.phase ? 'now' : ''}
      aria-current=${id === view.phase ? 'step' : undefined}>${name}</li>`)}</ol>
    <h3>Storm order</h3>
    <ol class="order">${order.map((faction) => html`<li key=${faction}><${Badge} faction=${faction} name /></li>`)}</ol>
    <h3>Waiting for</h3>
    ${view.waiting.length ? html`<ul>${view.waiting.map((one) => html`<li key=${one.kind}>${one.seats.map(nameOf).join(', ')}: ${inSentence(kindName(one.kind))}</li>`)}</ul>`
      : html`<p class="muted">Nobody.</p>`}
    <p class="muted">Storm in sector ${view.storm}. ${view.seat ? `Your reserves: ${forcesText(view.factions[view.seat]?.reserves)}.` : ''}</p>
  <//>`;
}
