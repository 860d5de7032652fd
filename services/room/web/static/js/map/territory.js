/** The sheet of a territory: its sectors with who and what is there, what protects it, and what lies around it. */
import { html } from '../html.js';
import { facts, forcesText, nameOf, sectorOf } from '../facts.js';
import { Badge } from '../glyphs.js';
import { Choice, Sheet } from '../ui.js';
import { Why } from '../why.js';
import { placesOf } from './geometry.js';

const KIND = { sand: 'Sand', rock: 'Rock', stronghold: 'Stronghold', polar_sink: 'Polar Sink' };

function traits(fact, view) {
  const found = [KIND[fact.kind]];
  found.push(fact.protected ? (fact.wall ? 'protected from storm while the Shield Wall stands' : 'protected from storm') : 'open to storm');
  if (fact.worm) found.push('worms can appear');
  if (fact.thopters) found.push('ornithopters for who holds it');
  if (fact.sectors.includes(view.storm)) found.push('the storm is here');
  return found;
}

/** One sector: a row to read, and a button where the place can be chosen. */
function Sector({ place, view, picking, onPick }) {
  const here = view.places[place] || {};
  const forces = Object.entries(here.forces || {});
  const verdict = picking?.judge.get(place);
  const sector = sectorOf(place);
  const text = sector ? `Sector ${sector}${sector === view.storm ? ', in the storm' : ''}` : 'No sector';
  const content = html`<span class="sector-row">${forces.map(([faction, kinds]) => html`<span class="who" key=${faction}>
      <${Badge} faction=${faction} /> ${forcesText(kinds)}</span>`)}
    ${here.spice ? html`<span class="spice-count">${here.spice} spice</span>` : ''}
    ${forces.length || here.spice ? '' : html`<span class="muted">empty</span>`}
    ${facts().places[place].blow ? html`<span class="muted">spice can blow here (${facts().places[place].blow})</span>` : ''}</span>`;
  if (verdict) {
    return html`<${Choice} label=${html`${text} ${content}`} detail=${verdict.detail} off=${verdict.off} rule=${verdict.rule}
      chosen=${picking.chosen === place} testid=${`pick-${place}`} onPress=${() => onPick(place)} />`;
  }
  return html`<div class="sector-line-text"><strong>${text}</strong> ${content}</div>`;
}

/** Whether my own forces are in it. */
const collects = (id, view) => placesOf(id).some((place) => view.places[place]?.forces?.[view.seat]);

export function TerritorySheet({ id, view, picking, onPick, onGo, onClose }) {
  const fact = facts().territories[id];
  return html`<${Sheet} title=${fact.name} onClose=${onClose} className="territory-sheet" testid="territory-sheet">
    <p class="traits">${traits(fact, view).join(' · ')}</p>
    ${picking ? html`<p class="picking-for">${picking.label}: choose a sector</p>` : ''}
    <div class="sectors">${placesOf(id).map((place) => html`<${Sector} key=${place} place=${place} view=${view} picking=${picking} onPick=${onPick} />`)}</div>
    ${collects(id, view) ? html`<p>What you would collect here <${Why} topic="collection" about=${fact.name} /></p>` : ''}
    <h3>Next to it</h3>
    <div class="neighbours">${fact.adjacent.map((other) => html`<button type="button" class="chip-link" key=${other} onClick=${() => onGo(other)}>${nameOf(other)}</button>`)}</div>
  <//>`;
}
