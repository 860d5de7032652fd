/** The map: ground, storm, tokens, player circles, and a button for each territory. */
import { cls, html, useRef, useState } from '../html.js';
import { CODES, facts, territoryOf } from '../facts.js';
import { GlyphPath } from '../glyphs.js';
import { at, CIRCLE_AT, HALF, neighbourTowards, placesOf, polar, R, sentence, tokens, wedge } from './geometry.js';
import { ground } from './ground.js';
import { usePanZoom } from './panzoom.js';

const Storm = ({ sector }) => {
  const [x, y] = polar(sector, R + 16);
  return html`<g class="storm" aria-hidden="true"><path d=${wedge(sector, 162, R)} class="storm-body" />
    <path d=${wedge(sector, 162, R)} class="storm-gusts" />
    <circle cx=${x} cy=${y} r="30" class="storm-eye" /><path class="storm-mark"
      d=${`M${x - 14} ${y - 4} a14 14 0 0 1 26 -4 M${x + 14} ${y + 4} a14 14 0 0 1 -26 4`} /></g>`;
};

const Spice = ({ x, y, count }) => html`<g class="token spice" transform=${`translate(${x} ${y})`}>
  <g class="token-in"><path d="M0 -52 L60 0 L0 52 L-60 0Z" /><text y="24">${count}</text></g></g>`;

/** Forces that take part are a filled pill, those that only stay (advisors) a hollow one with corners. */
const Forces = ({ x, y, count, faction, special, stays }) => {
  const width = 92 + String(count).length * 46;
  const left = -width / 2;
  return html`<g class=${cls('token', 'forces', `f-${faction}`, stays && 'stays')} transform=${`translate(${x} ${y})`}><g class="token-in">
    <rect x=${left} y="-43" width=${width} height="86" rx=${stays ? 12 : 43} />
    <${GlyphPath} faction=${faction} x=${left + 41} y=${0} size=${54} />
    <text x=${left + 71} y="24">${count}${special ? '*' : ''}</text>
    <text class="letters" x=${left + 2} y="-50">${CODES[faction]}</text></g></g>`;
};

const Circle = ({ faction, sector, turn, mine }) => {
  const [x, y] = polar(sector, CIRCLE_AT);
  return html`<g class=${cls('seat-circle', `f-${faction}`, turn && 'waited', mine && 'me')} transform=${`translate(${x} ${y})`} aria-hidden="true">
    <circle r="66" /><${GlyphPath} faction=${faction} x=${0} y=${-14} size=${62} /><text y="50">${CODES[faction]}</text></g>`;
};

/** What the map shows of a place that may be chosen. */
function Marks({ picking }) {
  if (!picking) return '';
  const places = Object.keys(facts().places);
  return html`<g class="marks" aria-hidden="true">
    ${places.filter((place) => picking.judge.has(place) && !picking.judge.get(place).off).map((place) => {
      const [x, y] = at(place);
      return html`<circle key=${place} cx=${x} cy=${y} r=${place === picking.chosen ? 82 : 24} class=${cls('target', place === picking.chosen && 'chosen')} />`;
    })}
    ${picking.sources.filter((place) => place in facts().places).map((place) => {
      const [x, y] = at(place);
      return html`<circle key=${`from-${place}`} cx=${x} cy=${y} r="92" class="source" />`;
    })}
  </g>`;
}

/** One button for each territory; one of them is in the tab order, arrows and letters go on from there. */
function Buttons({ view, picking, onTerritory, chosen }) {
  const [current, setCurrent] = useState('arrakeen');
  const layer = useRef(null);
  const ids = Object.keys(facts().territories);
  const focus = (id) => { setCurrent(id); layer.current?.querySelector(`[data-territory="${id}"]`)?.focus(); };
  const key = (event, id) => {
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const next = neighbourTowards(id, event.key);
      if (next) focus(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onTerritory(id);
    } else if (/^[a-z]$/i.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const named = ids.filter((one) => facts().territories[one].name.toLowerCase().startsWith(event.key.toLowerCase()));
      if (named.length) focus(named[(named.indexOf(id) + 1) % named.length]);
    }
  };
  const open = (id) => picking && placesOf(id).some((place) => picking.judge.has(place) && !picking.judge.get(place).off);
  return html`<g ref=${layer}>${ids.map((id) => html`<g key=${id} role="button" data-territory=${id} tabindex=${id === current ? 0 : -1}
      class=${cls('place', id === chosen && 'selected', open(id) && 'legal', picking && !open(id) && 'barred')}
      aria-label=${sentence(id, view) + (open(id) ? '; can be chosen' : '')} onFocus=${() => setCurrent(id)}
      onKeyDown=${(event) => key(event, id)} onClick=${() => onTerritory(id)}>
    <path d=${facts().territories[id].path} transform=${`scale(${R})`} /></g>`)}</g>`;
}

/**
 * @param {{view: import('../types.js').SeatView, picking: import('../mapping.js').Picking|null,
 *   onTerritory: (territory: string) => void, chosen: string|null}} props
 */
export function TableMap({ view, picking, onTerritory, chosen }) {
  const { box, handlers, ref, zoom, scale, fit } = usePanZoom(HALF);
  const waited = new Set(view.waiting.flatMap((one) => one.seats));
  const aim = picking?.chosen && picking.chosen in facts().places ? territoryOf(picking.chosen) : chosen;
  return html`<div class=${cls('map-box', scale > 1.5 && 'near')}>
    <svg class="map" ref=${ref} viewBox=${box} role="group" aria-label="Map of the planet: arrow keys go from place to place" ...${handlers}>
      ${ground()}
      <${Storm} sector=${view.storm} />
      ${Object.entries(view.factions).filter(([, one]) => one.circle).map(([faction, one]) => html`<${Circle} key=${faction} faction=${faction}
        sector=${one.circle} turn=${waited.has(faction)} mine=${faction === view.seat} />`)}
      <${Marks} picking=${picking} />
      <g class="tokens" aria-hidden="true">${tokens(view.places).map((token) => (token.faction
        ? html`<${Forces} key=${token.key} ...${token} />` : html`<${Spice} key=${token.key} ...${token} />`))}</g>
      <${Buttons} view=${view} picking=${picking} onTerritory=${onTerritory} chosen=${aim} />
    </svg>
    <button type="button" class="map-tool in" aria-label="Zoom in" onClick=${() => zoom(1.6)}>+</button>
    <button type="button" class="map-tool out" aria-label="Zoom out" onClick=${() => zoom(1 / 1.6)}>−</button>
    ${scale > 1.01 ? html`<button type="button" class="map-tool fit" aria-label="Whole map" onClick=${fit}>⤢</button>` : ''}
  </div>`;
}
