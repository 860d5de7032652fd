/** What never changes on the map: planet, territories, sector lines, names. Drawn once. */
import { html } from '../html.js';
import { facts } from '../facts.js';
import { at, labelAt, polar, R, wedge } from './geometry.js';

const SECTORS = Array.from({ length: 18 }, (_, index) => index + 1);

/** A steady number from 0 to 1 for a name, so that neighbours differ a little in tone. */
function tone(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 997;
  return hash / 997;
}

const Defs = () => html`<defs>
  <radialGradient id="space" cx="50%" cy="50%" r="50%"><stop offset="80%" class="space-in" /><stop offset="100%" class="space-out" /></radialGradient>
  <radialGradient id="shade" cx="42%" cy="38%" r="64%"><stop offset="35%" stop-color="#fff" stop-opacity="0.13" />
    <stop offset="72%" stop-color="#7a4318" stop-opacity="0.06" /><stop offset="100%" stop-color="#2a1405" stop-opacity="0.55" /></radialGradient>
  <radialGradient id="ice" cx="45%" cy="40%" r="60%"><stop offset="0%" stop-color="#f4fbfb" /><stop offset="100%" stop-color="#a9c7cf" /></radialGradient>
  <pattern id="dunes" width="150" height="92" patternUnits="userSpaceOnUse" patternTransform="rotate(-14)">
    <path d="M0 26c25-16 50-16 75 0s50 16 75 0M-38 72c25-16 50-16 75 0s50 16 75 0 50-16 75 0" class="dune" /></pattern>
  <pattern id="crags" width="96" height="84" patternUnits="userSpaceOnUse" patternTransform="rotate(11)">
    <path d="M4 40l16-26 13 18 10-12 17 28M50 78l14-24 12 15 9-10 12 19" class="crag" /></pattern>
  <pattern id="swirl" width="120" height="120" patternUnits="userSpaceOnUse" patternTransform="rotate(24)">
    <path d="M-10 30c40-30 60 20 100-8s50-6 60 0M-10 74c40-30 60 20 100-8s50-6 60 0M-10 112c40-30 60 20 100-8s50-6 60 0" class="gust" /></pattern>
  ${SECTORS.map((sector) => html`<clipPath id=${`wedge-${sector}`} key=${sector}><path d=${wedge(sector, 10, R + 4)} /></clipPath>`)}
</defs>`;

/** A rock with a door: where people live. */
const Rock = ({ place }) => {
  const [x, y] = at(place);
  return html`<g class="citadel" transform=${`translate(${x} ${y})`}>
    <path d="M-70 52 L-52 -6 L-30 14 L-12 -48 L10 -18 L28 -40 L48 4 L60 -8 L74 52Z" />
    <path class="door" d="M-13 52 v-24 a13 13 0 0 1 26 0 v24Z" /></g>`;
};

const Territory = ({ id, fact }) => html`<g class=${`land ${fact.kind}`}>
  <path d=${fact.path} transform=${`scale(${R})`} class="ground" style=${{ fillOpacity: 0.8 + tone(id) * 0.2 }} />
  ${fact.kind === 'polar_sink' ? '' : html`<path d=${fact.path} transform=${`scale(${R})`} class="texture" />`}
</g>`;

/** Names break into two lines where they are long. */
function nameLines(name) {
  const parts = name.split(' ');
  if (name.length < 11 || parts.length === 1) return [name];
  const cut = Math.ceil(parts.length / 2);
  return [parts.slice(0, cut).join(' '), parts.slice(cut).join(' ')];
}

const Name = ({ id, fact }) => {
  const [x, y] = labelAt(id);
  const lines = nameLines(fact.name);
  return html`<text class=${`place-name ${fact.kind}${fact.tight ? ' tight' : ''}`} x=${x} y=${y - (lines.length - 1) * 18 + (fact.kind === 'stronghold' ? 92 : 0)}>
    ${lines.map((line, index) => html`<tspan key=${index} x=${x} dy=${index ? 38 : 0}>${line}</tspan>`)}</text>`;
};

function Ground() {
  const territories = Object.entries(facts().territories);
  const blows = Object.entries(facts().places).filter(([, place]) => place.blow);
  return html`<g class="ground-layer" aria-hidden="true">
    <${Defs} />
    <circle r=${R + 168} class="space" />
    <circle r=${R + 30} class="rim" />
    <circle r=${R} class="base" />
    ${territories.map(([id, fact]) => html`<${Territory} key=${id} id=${id} fact=${fact} />`)}
    ${[...territories].sort(([, a], [, b]) => Number(a.kind === 'stronghold') - Number(b.kind === 'stronghold')).map(([id, fact]) =>
      html`<path key=${id} d=${fact.path} transform=${`scale(${R})`} class=${`border ${fact.kind}`} />`)}
    ${SECTORS.map((sector) => {
      const [x1, y1] = polar(sector, 160, 10);
      const [x2, y2] = polar(sector, R + 30, 10);
      return html`<line key=${sector} class="sector-line" x1=${x1} y1=${y1} x2=${x2} y2=${y2} />`;
    })}
    ${blows.map(([place]) => {
      const [x, y] = at(place);
      return html`<circle key=${place} class="blow" cx=${x} cy=${y} r="26" />`;
    })}
    ${territories.filter(([, fact]) => fact.kind === 'stronghold').map(([id, fact]) => html`<${Rock} key=${id} place=${`${id}:${fact.sectors[0]}`} />`)}
    <circle r=${R} class="shade" />
    ${SECTORS.map((sector) => {
      const [x, y] = polar(sector, R + 16);
      return html`<text key=${sector} class="sector-number" x=${x} y=${y + 9}>${sector}</text>`;
    })}
    ${territories.map(([id, fact]) => html`<${Name} key=${id} id=${id} fact=${fact} />`)}
  </g>`;
}

let drawn = null;

/** The ground as one node that stays the same, so that a change of the view does not walk through it. */
export const ground = () => {
  drawn ||= html`<${Ground} />`;
  return drawn;
};
