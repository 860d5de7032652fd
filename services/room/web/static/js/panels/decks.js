/** Decks and discards: how many are left, and what lies open. */
import { html } from '../html.js';
import { nameOf } from '../facts.js';
import { decksName, RulingsOf, useOptions } from '../options.js';
import { NexusPiles } from './nexus.js';

const DECKS = [['treachery_deck', 'Treachery deck'], ['spice_deck', 'Spice deck'], ['auction_row', 'Cards to be sold']];
const PILES = [['treachery_discard', 'Treachery discards'], ['spice_discard_a', 'Spice discards'], ['spice_discard_b', 'Spice discards, second pile'],
  ['treachery_removed', 'Out of the game'], ['spice_aside', 'Spice cards set aside']];

export function Decks({ view }) {
  const piles = PILES.filter(([zone]) => view.zones[zone]?.length);
  return html`<div class="decks">
    <dl class="about">${DECKS.filter(([zone]) => zone in view.counts).map(([zone, name]) => html`<div key=${zone}><dt>${name}</dt><dd>${view.counts[zone]} cards</dd></div>`)}</dl>
    ${piles.map(([zone, name]) => html`<section key=${zone}><h3>${name}</h3>
      <ol class="pile">${view.zones[zone].map((piece, index) => html`<li key=${index}>${nameOf(piece)}</li>`)}</ol></section>`)}
    ${piles.length ? '' : html`<p class="muted">Nothing has been discarded.</p>`}
    <${NexusPiles} view=${view} />
    <${RoomRules} view=${view} />
  </div>`;
}

/** The rules of this room: what is played, and every interpretation in force. [NEXUS-70] */
function RoomRules({ view }) {
  const options = useOptions();
  const { settings } = view;
  const modules = options?.modules.filter((one) => (settings.modules || []).includes(one.id)) || [];
  const decks = options?.decks.find((one) => one.map((deck) => deck.id).join() === (settings.decks || ['base']).join());
  return html`<section class="room-rules" data-testid="room-rules"><h3>Rules of this room</h3>
    <p>${settings.mode === 'advanced' ? 'Advanced' : 'Basic'} game, ${settings.last_turn ?? 10} turns${decks ? `, ${decksName(decks)}` : ''}.
      ${modules.map((one) => html` With <a key=${one.id} href=${`/rules?topic=${one.guide}`} target="_blank" rel="noopener">${one.name}</a>.`)}</p>
    ${options ? html`<${RulingsOf} options=${options} settings=${settings} />` : ''}</section>`;
}
