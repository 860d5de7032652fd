/** What a room may be set to, as the rules' own data says: loaded once, from the API. And the interpretations in force. */
import { cls, html, useEffect, useState } from './html.js';
import { request } from './api.js';
import { words } from './facts.js';

/** @type {Promise<any>|null} */
let asked = null;

/** The options of this server; null until they came. */
export function useOptions() {
  const [found, setFound] = useState(null);
  useEffect(() => {
    let wanted = true;
    asked = asked || request('GET', '/api/options');
    asked.then((options) => wanted && setFound(options)).catch(() => { asked = null; });
    return () => { wanted = false; };
  }, []);
  return found;
}

/**
 * The interpretations that a game with these settings has: those of its mode, of its modules and decks alone, and none that a module settles.
 * @param {any[]} rulings @param {any} settings
 */
export function inForce(rulings, settings) {
  const modules = settings.modules || [];
  const decks = settings.decks || ['base'];
  return rulings.filter((one) => one.modes.includes(settings.mode || 'basic') && (!one.module || modules.includes(one.module))
    && (!one.deck || decks.includes(one.deck)) && !one.settled_by.some((module) => modules.includes(module)));
}

/** What holds of an interpretation: the room's choice, else the default. */
export const valueOf = (one, settings) => (settings.rulings || {})[one.name] ?? one.values[0];

/** @param {any[]} decks */
export const decksName = (decks) => decks.map((one) => one.name).join(' with ');

function Values({ one, settings, onChoose }) {
  const now = valueOf(one, settings);
  if (!onChoose || one.offered.length < 2) {
    return html`<span class="ruling-value">${words(now)}${now === one.values[0] ? '' : html` <span class="tag on">chosen</span>`}</span>`;
  }
  return html`<span class="numbers" role="group" aria-label=${one.question}>${one.offered.map((value) => html`<button type="button" key=${value} class="number word"
    aria-pressed=${String(value === now)} data-testid=${`ruling-${one.name}-${value}`} onClick=${() => value !== now && onChoose(one, value)}>${words(value)}</button>`)}</span>`;
}

/**
 * Interpretations, each as one: the rules leave the point open, and this table plays it so. [NEXUS-70]
 * @param {{rulings: any[], settings: any, onChoose?: (one: any, value: string) => void, title: string, open?: boolean, testid?: string}} props
 */
export function Rulings({ rulings, settings, onChoose, title, open, testid }) {
  if (!rulings.length) return '';
  return html`<details class="rulings" open=${open} data-testid=${testid}><summary>${title} (${rulings.length})</summary>
    <p class="muted">The rules leave these points open. Each is an interpretation, no ruling of a publisher.</p>
    <ul>${rulings.map((one) => html`<li key=${one.name} class=${cls('ruling', valueOf(one, settings) !== one.values[0] && 'changed')} data-ruling=${one.name}>
      <span class="ruling-question">${one.question} <span class="rule">${one.id}</span></span>
      <${Values} one=${one} settings=${settings} onChoose=${onChoose} /></li>`)}</ul></details>`;
}

/** All interpretations of a room: those of each module it plays with, then those of the game itself. */
export function RulingsOf({ options, settings, onChoose }) {
  const found = inForce(options.rulings, settings);
  const modules = options.modules.filter((one) => (settings.modules || []).includes(one.id));
  return html`${modules.map((module) => html`<${Rulings} key=${module.id} title=${`Interpretations: ${module.name}`} settings=${settings} onChoose=${onChoose}
      rulings=${found.filter((one) => one.module === module.id)} testid=${`rulings-${module.id}`} />`)}
    <${Rulings} title="Interpretations: the game" settings=${settings} onChoose=${onChoose} rulings=${found.filter((one) => !one.module)} testid="rulings-game" />`;
}
