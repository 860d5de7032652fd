/** Nexus cards: my own with its three panels and why it can or cannot be played, and all twelve faces to look at. */
import { cls, html, useEffect, useState } from '../html.js';
import { request } from '../api.js';
import { facts, nameOf } from '../facts.js';
import { Badge } from '../glyphs.js';
import { Reason, Sheet } from '../ui.js';

const MODES = [['cunning', 'Cunning'], ['betrayal', 'Betrayal'], ['secret_ally', 'Secret Ally']];

/** Which panel a seat would play: by who is seated alone. [NEXUS-24] */
export function modeOf(card, seat, seats) {
  if (card.faction === seat) return 'cunning';
  return seats.includes(card.faction) ? 'betrayal' : 'secret_ally';
}

/** Whether a game has the cards at all. */
export const hasNexusCards = (settings) => (settings.modules || []).includes('nexus');

/** The Nexus card that I hold, or undefined. */
export const ownNexusCard = (view) => (view.seat ? view.zones[`nexus.${view.seat}`]?.[0] : undefined);

const anchor = (card, mode) => `/rules?topic=nexus#nexus-${card.faction}-${mode.replace('_', '-')}`;

/** The three panels of a card; the one that applies to me stands out. Of my own card it comes first, with its `uses`. */
function Panels({ card, mode, uses }) {
  const order = uses === undefined ? MODES : [...MODES].sort(([one], [other]) => Number(other === mode) - Number(one === mode));
  return html`<dl class="nexus-panels">${order.map(([id, name]) => html`<div key=${id} class=${cls('nexus-panel', id === mode && 'mine')} data-testid=${`panel-${card.faction}-${id}`}>
    <dt><a href=${anchor(card, id)} target="_blank" rel="noopener">${name}</a> ${id === mode ? html`<span class="tag on">${'yours'}</span>` : ''}</dt>
    <dd>${card.panels[id].text} <span class="muted">Played ${card.panels[id].when}.${card.panels[id].counter ? ` ${card.panels[id].counter.replace(/^./, (c) => c.toUpperCase())}.` : ''}</span>${id === mode ? uses : ''}</dd></div>`)}</dl>`;
}

/** In a question about Nexus cards: the one that I hold, and the panel that is mine, as a way into the guide. */
export function OwnPanel({ view, kind }) {
  const held = /^nexus_|\.nexus\./.test(kind) ? ownNexusCard(view) : undefined;
  const card = held && facts().nexus[held];
  if (!card) return '';
  const mode = modeOf(card, view.seat, view.settings.seats || []);
  return html`<p class="own-panel" data-testid="own-panel"><span class="muted">You hold</span> <a href=${anchor(card, mode)} target="_blank" rel="noopener">${nameOf(held)}, ${MODES.find(([id]) => id === mode)[1]}</a></p>`;
}

/** An effect of the card in a question that is open to me now: whether it can be used there, or why not. */
function inQuestion(view, name) {
  for (const { choice } of view.offers) {
    if (choice.shape !== 'variant') continue;
    if (name in choice.variants) return { now: true, text: 'You may use it in the question that is open now.' };
    if (choice.off && name in choice.off) return { now: false, text: choice.off[name].off, rule: choice.off[name].rule };
  }
  return null;
}

/** Why each effect of my card can or cannot be played now: told by the rules to me alone. [NEXUS-58, NEXUS-68] */
function useReasons(store, view) {
  const [found, setFound] = useState(null);
  const held = ownNexusCard(view);
  const seq = store?.state.seq;
  useEffect(() => {
    if (!held || !store || view.result) return setFound(null);
    let wanted = true;
    const path = `/api/rooms/${store.code}/offers/${encodeURIComponent(`${view.seat}.nexus_card.why`)}`;
    request('GET', path).then(({ offer }) => wanted && setFound(offer.choice), () => wanted && setFound(null));
    return () => { wanted = false; };
  }, [held, seq, view.seat]);
  return found;
}

/** What the panel that is mine can do, each with why it can be played now or cannot; what can be is one tap away. */
function Uses({ view, choice, onPlay }) {
  const names = Object.keys(choice.labels || {});
  const rows = names.map((name) => {
    const asked = inQuestion(view, name);
    if (asked) return { name, ...asked };
    return name in choice.variants ? { name, now: true, alone: true, text: 'Can be played now.' } : { name, now: false, text: choice.off[name]?.off, rule: choice.off[name]?.rule };
  });
  return html`<div class="nexus-uses"><ul data-testid="nexus-uses">${rows.map(({ name, now, text, rule }) => html`<li key=${name} class=${cls(now && 'playable')} data-effect=${name}>
    <strong>${choice.labels[name]}</strong> <span class="card-use">${now ? text : html`<${Reason} text=${text} rule=${rule} />`}</span></li>`)}
    </ul>${rows.some(({ alone }) => alone) ? html`<button type="button" class="button" data-testid="play-nexus" onClick=${onPlay}>Play it…</button>` : ''}</div>`;
}

/** My own Nexus card in my hand. */
export function OwnNexusCard({ view, store, onPlay }) {
  const [all, setAll] = useState(false);
  const choice = useReasons(store, view);
  if (!hasNexusCards(view.settings)) return '';
  const held = ownNexusCard(view);
  const card = held && facts().nexus[held];
  const playable = choice && (Object.keys(choice.variants).length > 0 || Object.keys(choice.labels).some((name) => inQuestion(view, name)?.now));
  return html`<section class="nexus-own"><h3>Your Nexus card</h3>
    ${card ? html`<div class=${cls('card nexus-card', playable && 'playable')} data-testid="own-nexus">
      <span class="card-kind">Nexus card</span><span class="card-name"><${Badge} faction=${card.faction} name /></span>
      <${Panels} card=${card} mode=${modeOf(card, view.seat, view.settings.seats || [])}
        uses=${choice ? html`<${Uses} view=${view} choice=${choice} onPlay=${onPlay} />` : ''} /></div>`
      : html`<p class="muted">None. Whoever has no ally may draw one after a Nexus.</p>`}
    <button type="button" class="button ghost" data-testid="all-nexus" onClick=${() => setAll(true)}>All twelve Nexus cards</button>
    ${all ? html`<${Inspector} view=${view} onClose=${() => setAll(false)} />` : ''}</section>`;
}

/** All twelve faces, whoever plays; it tells nothing of who holds what. [NEXUS-23, NEXUS-69] */
export function Inspector({ view, onClose }) {
  const seats = view.settings.seats || [];
  return html`<${Sheet} title="The twelve Nexus cards" onClose=${onClose} testid="nexus-sheet">
    <p class="muted">All twelve are in the game, whoever plays. ${view.seat ? 'Marked is the panel that would be yours.' : ''}</p>
    ${Object.entries(facts().nexus).map(([id, card]) => html`<details key=${id} class="nexus-face" data-testid=${`face-${card.faction}`}>
      <summary><${Badge} faction=${card.faction} name /></summary>
      <${Panels} card=${card} mode=${view.seat ? modeOf(card, view.seat, seats) : ''} /></details>`)}<//>`;
}

/** What everybody sees: who holds a Nexus card, never which; and sizes or faces of piles where this room shows them. */
export function NexusPiles({ view }) {
  const [all, setAll] = useState(false);
  if (!hasNexusCards(view.settings)) return '';
  const holders = (view.settings.seats || []).filter((seat) => view.counts[`nexus.${seat}`]);
  const sizes = [['nexus_deck_counted', 'Nexus deck'], ['nexus_discard_counted', 'Nexus discards']].filter(([zone]) => zone in view.counts);
  const open = view.zones.nexus_discard_open || [];
  return html`<section class="nexus-piles"><h3>Nexus cards</h3>
    <p data-testid="nexus-holders">${holders.length ? `Held now by ${holders.map(nameOf).join(', ')}.` : 'Nobody holds one now.'}</p>
    ${sizes.map(([zone, name]) => html`<p key=${zone}>${name}: ${view.counts[zone]} cards</p>`)}
    ${open.length ? html`<ol class="pile">${open.map((piece) => html`<li key=${piece}>${nameOf(piece)}</li>`)}</ol>` : ''}
    <button type="button" class="button ghost" data-testid="all-nexus-decks" onClick=${() => setAll(true)}>All twelve Nexus cards</button>
    ${all ? html`<${Inspector} view=${view} onClose=${() => setAll(false)} />` : ''}</section>`;
}
