/** The factions' signs: our own simple silhouettes in a box of 24 by 24, drawn with the faction's ink. */
import { html } from './html.js';
import { CODES, nameOf } from './facts.js';

export const GLYPHS = {
  // A hawk with spread wings.
  atreides: 'M12 6l1.6 2.4L23 6l-5 7-3.400-.6L12 20l-2.600-7.600L6 13 1 6l9.400 2.400z',
  // An eye with a crescent pupil.
  bene_gesserit: 'M1 12C5 5 19 5 23 12 19 19 5 19 1 12zm11-4.500a4.500 4.500 0 1 0 4.500 4.500 3.400 3.400 0 0 1-4.500-4.500z',
  // A crown.
  emperor: 'M2 6l5 5 5-8 5 8 5-5-2 11H4zM4 19h16v2.500H4z',
  // A curved blade.
  fremen: 'M20 2C9 3 4 10 5 16l-3 3 3 3 3-3c7 0 13-6 12-17zm-2.500 4c-1 5-4 8.500-8.500 9.500 4-2.500 6.500-5.500 8.500-9.500z',
  // An endless loop.
  guild: 'M7 7c-3 0-5.500 2.200-5.500 5S4 17 7 17c2.200 0 3.600-1.400 5-3.100 1.400 1.700 2.800 3.100 5 3.100 3 0 5.500-2.200 5.500-5S20 7 17 7c-2.200 0-3.600 1.400-5 3.100C10.600 8.400 9.200 7 7 7zm0 2.800c1 0 1.900 1 2.900 2.200-1 1.200-1.900 2.200-2.900 2.200-1.300 0-2.400-1-2.400-2.200S5.700 9.800 7 9.800zm10 0c1.300 0 2.400 1 2.400 2.200s-1.100 2.200-2.400 2.200c-1 0-1.900-1-2.900-2.200 1-1.200 1.900-2.200 2.900-2.200z',
  // A horned head.
  harkonnen: 'M2 2c0 5 1.500 8 5 9l1 6 4 5 4-5 1-6c3.500-1 5-4 5-9-1.500 3-4 4.500-7 4.500L12 8 9 6.500C6 6.500 3.500 5 2 2zm6.500 9l2.500 1.500-.5 1.500-2-1zm7 0l-.5 2-2 1-.5-1.500z',
  // A toothed wheel.
  ixians: 'M10.500 1h3l.6 3 2.500 1 2.600-1.700 2.100 2.100L19.600 8l1 2.500 3 .6v3l-3 .6-1 2.500 1.700 2.600-2.100 2.100-2.600-1.700-2.500 1-.6 3h-3l-.6-3-2.500-1-2.600 1.700-2.100-2.100L4.400 17l-1-2.500-3-.6v-3l3-.6 1-2.500-1.700-2.600 2.100-2.100L7.400 5l2.500-1zM12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
  // A mask, half of it hollow.
  tleilaxu: 'M12 2C6 2 3 5 3 10c0 7 5 12 9 12s9-5 9-12c0-5-3-8-9-8zm0 3c4 0 6 2 6 5 0 5-3 8.500-6 8.500zM6 10h4v2.500H6z',
  // A balance.
  choam: 'M11 2h2v3l7 1.500V9l3 6a4 4 0 0 1-8 0l2.600-6L13 8v11h4v3H7v-3h4V8L6.400 9 9 15a4 4 0 0 1-8 0l3-6V6.500L11 5z',
  // A lens that splits light.
  richese: 'M12 1l4 7 7 4-7 4-4 7-4-7-7-4 7-4zm0 7a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  // A flower of five petals.
  ecaz: 'M12 1c2.500 1.500 3 4 2 6.500 2.300-1.600 5-1.300 6.500 1 -1.200 2.700-3.300 3.700-6 3.300 2.300 1.500 3 4 1.900 6.600-2.900.3-4.700-1.100-5.400-3.700C10.300 17.300 8.500 18.700 5.600 18.400 4.500 15.800 5.200 13.300 7.500 11.800 4.800 12.200 2.700 11.200 1.500 8.500 3 6.200 5.700 5.900 8 7.500 7 5 9.500 2.500 12 1zM11 17h2v6h-2z',
  // A coiled snake.
  moritani: 'M6 3h9c4 0 7 2.500 7 6s-3 6-7 6H9c-1.500 0-2.500.7-2.500 1.700S7.500 18.500 9 18.500h13V22H9c-4 0-6.500-2-6.500-5.300S5 11.500 9 11.500h6c2 0 3.300-1 3.300-2.500S17 6.500 15 6.500h-4L6 9z',
};

/** The sign alone, as part of a drawing: `size` is the width of its box. */
export const GlyphPath = ({ faction, x, y, size }) => html`<path d=${GLYPHS[faction] || ''} class="glyph"
  transform=${`translate(${x - size / 2} ${y - size / 2}) scale(${size / 24})`} fill-rule="evenodd" />`;

/** A faction in text: a coloured disc with the sign, and its two letters or its name. */
export function Badge({ faction, letters = true, name = false, big = false }) {
  return html`<span class=${`badge f-${faction}${big ? ' big' : ''}`}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${GLYPHS[faction] || ''} fill-rule="evenodd" /></svg>
    ${name ? html`<span class="badge-name">${nameOf(faction)}</span>`
      : letters ? html`<abbr class="badge-code" title=${nameOf(faction)}>${CODES[faction] || '??'}</abbr>` : ''}
  </span>`;
}
