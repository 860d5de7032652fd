/** The table: status, map, panels and the decision, laid out for a phone, a tablet or a desktop. */
import { cls, html, useEffect, useMemo, useState } from './html.js';
import { DecisionBar } from './decision.js';
import { nameOf } from './facts.js';
import { Badge } from './glyphs.js';
import { TableMap } from './map/map.js';
import { TerritorySheet } from './map/territory.js';
import { placesOf } from './map/geometry.js';
import { MapPick } from './mapping.js';
import { wayText } from './phrases.js';
import { Decks } from './panels/decks.js';
import { Log } from './panels/log.js';
import { Mine } from './panels/mine.js';
import { Seats } from './panels/seats.js';
import { MoreSheet } from './standing.js';
import { Purse, StatusLine, TurnSheet } from './status.js';
import { Live, Sheet, Tabs, useMedia } from './ui.js';
import { Asking, WhySheet } from './why.js';

function Result({ view }) {
  if (!view.result) return '';
  return html`<div class="result" role="status"><p>Turn ${view.result.turn}: ${wayText(view.result.way)}</p>
    <p class="winners">${view.result.winners.map((faction) => html`<${Badge} key=${faction} faction=${faction} name big />`)}
      ${view.result.winners.length > 1 ? 'win' : 'wins'}</p></div>`;
}

function Panels({ store, onPlay }) {
  const { view, room, log, unread } = store.state;
  const [tab, setTab] = useState(view.seat ? 'mine' : 'seats');
  const choose = (id) => { setTab(id); if (id === 'log') store.read(); };
  useEffect(() => { if (tab === 'log') store.read(); }, [tab, log.length]);
  const hand = view.zones[`hand.${view.seat}`]?.length || 0;
  const tabs = [['mine', 'Mine', hand], ['seats', 'Seats', 0], ['log', 'Log', tab === 'log' ? 0 : Math.min(unread, 99)], ['decks', 'Decks', 0]];
  return html`<${Tabs} tabs=${tabs} chosen=${tab} onChoose=${choose} label="Panels">
    ${tab === 'mine' ? html`<${Mine} view=${view} store=${store} onPlay=${onPlay} />` : tab === 'seats' ? html`<${Seats} view=${view} room=${room} />`
      : tab === 'log' ? html`<${Log} log=${log} seat=${view.seat} />` : html`<${Decks} view=${view} />`}
  <//>`;
}

/** The map asks through here which place the open decision wants; what it says is kept while it is drafted. */
function usePicking(setOpen, wide) {
  const [picking, setPicking] = useState(null);
  const pick = useMemo(() => ({
    offer: setPicking,
    show: () => {
      setOpen(false);
      document.querySelector('.map-box')?.scrollIntoView({ block: wide ? 'nearest' : 'start' });
      /** @type {SVGElement|null} */ (document.querySelector('.map [tabindex="0"]'))?.focus({ preventScroll: true });
    },
  }), [wide]);
  return { picking, pick };
}

/** @param {{store: import('./store.js').Store}} props */
export function Table({ store }) {
  const { view } = store.state;
  const wide = useMedia('(min-width: 900px)');
  const [sheet, setSheet] = useState('');
  const [first, setFirst] = useState('');
  const [territory, setTerritory] = useState(null);
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState(null);
  const { picking, pick } = usePicking(setOpen, wide);
  const mine = view.offers.length > 0;
  useEffect(() => { if (!mine) setOpen(false); }, [mine]);
  const chosen = (place) => { picking.choose(place); setTerritory(null); setOpen(true); };
  const tapped = (id) => {
    const legal = picking ? placesOf(id).filter((place) => picking.judge.has(place) && !picking.judge.get(place).off) : [];
    if (legal.length === 1) chosen(legal[0]);
    else setTerritory(id);
  };
  useKeys(setSheet);
  useEffect(() => window.scrollTo(0, 0), []);
  return html`<${Asking.Provider} value=${view.seat && !view.result ? setAsked : null}><${MapPick.Provider} value=${pick}>
    <div class=${cls('table', mine && 'asked', wide ? 'wide' : 'narrow')}>
      <${StatusLine} store=${store} onOpen=${() => setSheet('turn')} />
      <${Purse} view=${view} />
      <main class="board"><h1 class="sr">${store.state.room?.name || 'The table'}</h1><${Result} view=${view} />
        <${TableMap} view=${view} picking=${picking} chosen=${territory} onTerritory=${tapped} /></main>
      <aside class="side" aria-label="Hand, seats and log"><h2 class="sr">Hand, seats and log</h2><${Panels} store=${store} onPlay=${(kind) => { setFirst(kind); setSheet('more'); }} /></aside>
      <${DecisionBar} store=${store} picking=${picking} wide=${wide} open=${open} setOpen=${setOpen} onMore=${() => { setFirst(''); setSheet('more'); }} />
    </div>
    ${sheet === 'turn' ? html`<${TurnSheet} view=${view} onClose=${() => setSheet('')} />` : ''}
    ${sheet === 'more' ? html`<${MoreSheet} store=${store} first=${first} onClose=${() => setSheet('')} />` : ''}
    ${sheet === 'keys' ? html`<${KeysSheet} onClose=${() => setSheet('')} />` : ''}
    ${territory ? html`<${TerritorySheet} key=${territory} id=${territory} view=${view} picking=${picking} onPick=${chosen} onGo=${setTerritory} onClose=${() => setTerritory(null)} />` : ''}
    ${asked ? html`<${WhySheet} store=${store} asked=${asked} onClose=${() => setAsked(null)} />` : ''}
    <${Live} assertive text=${mine ? `Your decision: ${view.offers[0].why}` : ''} />
    <${Title} view=${view} mine=${mine} room=${store.state.room} />
  <//><//>`;
}

/** `?` lists the keys, `/` goes to the search for places of the open decision. */
function useKeys(setSheet) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.target.closest('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '?') setSheet('keys');
      /** @type {HTMLElement|null} */
      const search = event.key === '/' ? document.querySelector('[data-testid="search-places"]') : null;
      if (search) {
        event.preventDefault();
        search.focus();
      }
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

const KEYS = [['?', 'this list'], ['/', 'search the places you may choose'], ['arrows', 'on the map: to the neighbour that way'],
  ['a to z', 'on the map: to the next place of that letter'], ['Enter', 'open or choose'], ['Escape', 'close a sheet']];

const KeysSheet = ({ onClose }) => html`<${Sheet} title="Keys" onClose=${onClose}>
  <dl class="about">${KEYS.map(([key, text]) => html`<div key=${key}><dt>${key}</dt><dd>${text}</dd></div>`)}</dl><//>`;

/** The page's title says when it is my turn. */
function Title({ view, mine, room }) {
  useEffect(() => {
    document.title = `${mine ? '● Your turn — ' : ''}${view.seat ? nameOf(view.seat) : 'Watching'} — ${room?.name || 'Sietch'}`;
  }, [mine, view.seat, room?.name]);
  return '';
}
