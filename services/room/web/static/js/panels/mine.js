/** What only I may see: my hand with each card's text, and behind a cover my traitors and my prediction. */
import { cls, html, useState } from '../html.js';
import { cardOf, face, forcesText, leaderOf, nameOf, words } from '../facts.js';
import { Badge } from '../glyphs.js';
import { EveryWhy, Why } from '../why.js';
import { OwnNexusCard } from './nexus.js';

const KINDS = {
  projectile_weapon: 'Weapon, projectile', poison_weapon: 'Weapon, poison', special_weapon: 'Weapon', projectile_defense: 'Defense, projectile',
  poison_defense: 'Defense, poison', cheap_hero: 'Hero', worthless: 'Worthless', special: 'Special',
};

/** Every place in a shape where a value can be chosen. */
function uses(shape, value) {
  switch (shape.shape) {
    case 'one_of': case 'many_of': return shape.options.filter((option) => option.value === value);
    case 'fields': return Object.values(shape.fields).flatMap((inner) => uses(inner, value));
    case 'variant': return Object.values(shape.variants).flatMap((inner) => uses(inner, value));
    default: return [];
  }
}

/** Whether a card can be used in what is asked now, and if not why not, as far as the questions say. */
export function playable(piece, view) {
  const found = view.offers.flatMap((offer) => uses(offer.choice, piece));
  const own = [...view.offers, ...view.standing].find((offer) => offer.kind === face(piece) || (offer.choice?.variants && face(piece) in offer.choice.variants));
  if (own || found.some((option) => !option.off)) return { now: true, text: 'Can be used now' };
  return { now: false, text: found[0]?.off || 'No question now open takes it' };
}

function Card({ piece, view }) {
  const card = cardOf(piece);
  const use = playable(piece, view);
  return html`<li class=${cls('card', `kind-${card?.kind || 'special'}`, use.now && 'playable')}>
    <span class="card-kind">${KINDS[card?.kind] || words(card?.kind || '')}</span>
    <span class="card-name">${nameOf(piece)}</span>
    <span class="card-text">${card?.effect || ''}</span>
    <span class="card-use">${use.text}</span></li>`;
}

function Cover({ title, children, testid }) {
  const [open, setOpen] = useState(false);
  return html`<section class="cover"><h3>${title}</h3>
    <button type="button" class="button ghost" aria-pressed=${String(open)} data-testid=${testid} onClick=${() => setOpen(!open)}>
      ${open ? 'Cover' : 'Look'}</button>
    ${open ? html`<div class="covered">${children}</div>` : html`<p class="muted">Covered, in case somebody looks over your shoulder.</p>`}
  </section>`;
}

const Traitor = ({ piece }) => {
  const leader = leaderOf(piece);
  return html`<li class="leader">${leader ? html`<${Badge} faction=${leader.faction} letters=${false} />` : ''}
    <span>${nameOf(piece)}</span>${leader ? html`<b class="strength">${leader.strength}</b>` : ''}</li>`;
};

function Secrets({ view }) {
  const me = view.seat;
  const traitors = [...(view.zones[`traitors.${me}`] || []), ...(view.zones[`traitors_dealt.${me}`] || [])];
  const out = view.zones[`traitors_out.${me}`] || [];
  const prediction = view.marks[`prediction.${me}`];
  const orders = [].concat(view.marks[`orders.${me}`] || []);
  const captives = Object.entries(view.zones).filter(([name]) => name.startsWith('captives.'));
  const lost = view.marks['kwisatz_haderach.lost'];
  return html`<${Cover} title="Secrets" testid="cover">
    <h4>Traitors</h4>
    ${traitors.length ? html`<ul class="leaders">${traitors.map((piece) => html`<${Traitor} key=${piece} piece=${piece} />`)}</ul>` : html`<p class="muted">None.</p>`}
    ${out.length ? html`<p class="muted">Not kept: ${out.map(nameOf).join(', ')}</p>` : ''}
    ${prediction ? html`<h4>Prediction</h4><p>${nameOf(prediction[0])} in turn ${prediction[1]}</p>` : ''}
    ${captives.map(([name, leaders]) => {
    const [, owner, captor] = name.split('.');
    return html`<h4 key=${name}>${captor === me ? `Your captives, of ${nameOf(owner)}` : `Held by ${nameOf(captor)}`}</h4>
      <ul class="leaders">${leaders.map((piece) => html`<${Traitor} key=${piece} piece=${piece} />`)}</ul>`;
  })}
    ${lost ? html`<h4>Kwisatz Haderach</h4><p>${lost} forces lost in battles; it comes after 7.</p>` : ''}
    ${orders.length ? html`<h4>Standing orders</h4><ul>${orders.map((order) => html`<li key=${order}>${order}</li>`)}</ul>` : ''}
    ${view.memory.length ? html`<h4>What you were shown</h4><ul class="memory">${view.memory.slice(-12).reverse().map((entry, index) => {
      const [what, piece] = entry.split('=');
      return html`<li key=${index}>${words(what)}: ${nameOf(piece)}</li>`;
    })}</ul>` : ''}
  <//>`;
}

/** `onPlay(kind)` opens what may be done at any time at one kind. */
export function Mine({ view, store, onPlay }) {
  if (!view.seat) return html`<p class="muted">You are watching: you see what everybody sees.</p>`;
  const hand = view.zones[`hand.${view.seat}`] || [];
  const me = view.factions[view.seat] || {};
  return html`<div class="mine">
    <h3>Your hand <${Why} topic="hand limit" /></h3>
    ${hand.length ? html`<ul class="cards">${hand.map((piece) => html`<${Card} key=${piece} piece=${piece} view=${view} />`)}</ul>`
      : html`<p class="muted">No treachery cards.</p>`}
    <${OwnNexusCard} view=${view} store=${store} onPlay=${() => onPlay('nexus_card')} />
    <h3>Your leaders</h3>
    <${Leaders} faction=${view.seat} view=${view} />
    <p class="figures">Reserves ${forcesText(me.reserves)} · tanks ${forcesText(me.tanks)}${me.bribes ? ` · bribes ${me.bribes}` : ''}</p>
    <${EveryWhy} />
    <${Secrets} view=${view} />
  </div>`;
}

/** A faction's leaders: ready, in the tanks, face down. */
export function Leaders({ faction, view }) {
  const groups = [['leaders', ''], ['tanks', 'in the tanks'], ['tanks_down', 'in the tanks, face down']];
  const rows = groups.flatMap(([zone, state]) => (view.zones[`${zone}.${faction}`] || []).map((piece) => ({ piece, state })));
  return html`<ul class="leaders">${rows.map(({ piece, state }) => html`<li key=${piece} class=${cls('leader', state && 'dead')}>
    <span>${nameOf(piece)}</span><b class="strength">${leaderOf(piece)?.strength ?? ''}</b>
    ${state ? html`<span class="muted">${state}</span>` : ''}</li>`)}
    ${rows.length ? '' : html`<li class="muted">none</li>`}</ul>`;
}
