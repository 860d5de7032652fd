/** The others (and me): who sits there, what is public about each, and its leaders. */
import { cls, html, useState } from '../html.js';
import { forcesText, nameOf } from '../facts.js';
import { Badge } from '../glyphs.js';
import { request } from '../api.js';
import { Button } from '../ui.js';
import { Why } from '../why.js';
import { Leaders } from './mine.js';
import { hasNexusCards } from './nexus.js';

function Player({ seat }) {
  if (!seat) return '';
  return html`<span class="player">${seat.name}${seat.kind === 'bot' ? html` <span class="tag">bot</span>`
    : html` <span class=${cls('tag', seat.connected ? 'on' : 'away')}>${seat.connected ? 'here' : 'away'}</span>${seat.policy ? html` <span class="tag">a bot plays</span>` : ''}`}</span>`;
}

/** Lets a bot play for me, and takes my seat back. What is asked of me stays asked. */
function Autopilot({ code, seat }) {
  const [error, setError] = useState('');
  const set = async (policy) => {
    try {
      setError('');
      await request('PUT', `/api/rooms/${code}/seats/${seat.seat}/autopilot`, { policy });
    } catch (failure) {
      setError(failure.message);
    }
  };
  return html`<div class="autopilot">
    <p class="muted">${seat.policy ? 'A bot answers for you. You may answer as well: who is first counts.' : 'You may let a bot answer for you for a while. What is asked of you stays asked.'}</p>
    <${Button} kind="plain" testid="autopilot" onPress=${() => set(seat.policy ? null : 'easy')}>${seat.policy ? 'Play myself again' : 'Let a bot play for me'}<//>
    ${error ? html`<p class="refusal" role="alert">${error}</p>` : ''}
  </div>`;
}

function Seat({ faction, view, seat }) {
  const one = view.factions[faction];
  const waited = view.waiting.some((row) => row.seats.includes(faction));
  const onBoard = Object.entries(view.places).filter(([, place]) => place.forces?.[faction]);
  const rows = [
    ['Cards', one.cards === null || one.cards === undefined ? 'not public now' : one.cards],
    ['Spice', faction in view.spice ? view.spice[faction] : 'behind the shield'],
    ['Reserves', forcesText(one.reserves)], ['Tanks', forcesText(one.tanks)],
    ['Ally', one.ally ? nameOf(one.ally) : 'none'], ['Bribes', one.bribes || 0], ['Circle', `sector ${one.circle}`],
  ];
  const nexus = hasNexusCards(view.settings);
  const holds = nexus && view.counts[`nexus.${faction}`] > 0;
  if (nexus) rows.push(['Nexus card', holds ? 'holds one' : 'none']);
  return html`<details class=${cls('seat', `f-${faction}`, waited && 'waited', faction === view.seat && 'me')}>
    <summary><${Badge} faction=${faction} name big /><${Player} seat=${seat} />
      ${waited ? html`<span class="tag wait">to act</span>` : ''}
      ${holds ? html`<span class="tag" data-testid=${`holds-nexus-${faction}`}>Nexus card</span>` : ''}
      <span class="brief">${one.cards === null || one.cards === undefined ? '' : `${one.cards} ${one.cards === 1 ? 'card' : 'cards'} · `}${forcesText(one.reserves)} in reserve</span></summary>
    <dl class="about">${rows.map(([key, value]) => html`<div key=${key}><dt>${key}</dt><dd>${value}</dd></div>`)}</dl>
    <h4>Leaders</h4><${Leaders} faction=${faction} view=${view} />
    <h4>On the board</h4>
    ${onBoard.length ? html`<ul class="on-board">${onBoard.map(([place, held]) => html`<li key=${place}>${nameOf(place)}: ${forcesText(held.forces[faction])}</li>`)}</ul>`
      : html`<p class="muted">Nothing.</p>`}
  </details>`;
}

/** How near everybody is to the end. */
const Progress = () => html`<${Why} topic="victory" word="Victory progress: which strongholds count, and how many are needed" />`;

export function Seats({ view, room }) {
  const order = view.order.length ? view.order : Object.keys(view.factions);
  const rest = Object.keys(view.factions).filter((faction) => !order.includes(faction));
  const mine = room?.state === 'running' && room.you.scope === 'seat:play' && room.seats.find((one) => one.seat === room.you.seat);
  return html`<div class="seats-panel"><${Progress} />${mine ? html`<${Autopilot} code=${room.code} seat=${mine} />` : ''}${[...order, ...rest].map((faction) => html`<${Seat} key=${faction} faction=${faction} view=${view}
    seat=${room?.seats.find((one) => one.faction === faction)} />`)}</div>`;
}
