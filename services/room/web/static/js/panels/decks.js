/** Decks and discards: how many are left, and what lies open. */
import { html } from '../html.js';
import { nameOf } from '../facts.js';

const DECKS = [['treachery_deck', 'Treachery deck'], ['spice_deck', 'Spice deck'], ['auction_row', 'Cards to be sold']];
const PILES = [['treachery_discard', 'Treachery discards'], ['spice_discard_a', 'Spice discards'], ['spice_discard_b', 'Spice discards, second pile'],
  ['treachery_removed', 'Out of the game'], ['spice_aside', 'Spice cards set aside']];

export function Decks({ view }) {
  const piles = PILES.filter(([zone]) => view.zones[zone]?.length);
  const rulings = Object.entries(view.settings.rulings || {});
  return html`<div class="decks">
    <dl class="about">${DECKS.filter(([zone]) => zone in view.counts).map(([zone, name]) => html`<div key=${zone}><dt>${name}</dt><dd>${view.counts[zone]} cards</dd></div>`)}</dl>
    ${piles.map(([zone, name]) => html`<section key=${zone}><h3>${name}</h3>
      <ol class="pile">${view.zones[zone].map((piece, index) => html`<li key=${index}>${nameOf(piece)}</li>`)}</ol></section>`)}
    ${piles.length ? '' : html`<p class="muted">Nothing has been discarded.</p>`}
    <h3>Settings</h3>
    <p>${view.settings.mode === 'advanced' ? 'Advanced' : 'Basic'} game, ${view.settings.last_turn ?? 10} turns.
      ${rulings.length ? ` Rulings: ${rulings.map(([name, value]) => `${name} = ${value}`).join(', ')}.` : ' All rulings at their defaults.'}</p>
  </div>`;
}
