/** The lobby: who sits where, which faction each wants, and the start. */
import { cls, html, useState } from './html.js';
import { once, request } from './api.js';
import { BASE, facts, nameOf } from './facts.js';
import { Badge } from './glyphs.js';
import { decksName, RulingsOf, useOptions } from './options.js';
import { Button } from './ui.js';

/** Runs a request and shows its refusal. */
function useAction(store) {
  const [error, setError] = useState('');
  const [busy, setBusy] = useState('');
  const run = async (name, work) => {
    setBusy(name);
    setError('');
    try {
      await work();
    } catch (failure) {
      setError(failure.message);
    }
    setBusy('');
  };
  return { error, busy, run, path: `/api/rooms/${store.code}` };
}

function FactionChoice({ room, seat, onChoose, label }) {
  const taken = new Set(room.seats.filter((one) => one.seat !== seat.seat && one.faction).map((one) => one.faction));
  return html`<div class="factions" role="group" aria-label=${label}>
    <button type="button" class="faction any" aria-pressed=${String(!seat.faction)} onClick=${() => onChoose(null)}>Any</button>
    ${BASE.map((faction) => html`<button type="button" key=${faction} class=${`faction f-${faction}`} aria-pressed=${String(seat.faction === faction)}
      aria-disabled=${taken.has(faction) ? 'true' : undefined} title=${taken.has(faction) ? 'Another seat wants it' : nameOf(faction)}
      data-testid=${`faction-${faction}`} onClick=${() => !taken.has(faction) && onChoose(faction)}>
      <${Badge} faction=${faction} name /></button>`)}
  </div>`;
}

function SeatRow({ seat, room, action, store }) {
  const mine = room.you.seat === seat.seat;
  const host = room.you.host;
  const where = `${action.path}/seats/${seat.seat}`;
  const change = (body) => action.run('seat', () => request('PATCH', where, body));
  const leave = () => action.run('seat', async () => { await request('DELETE', where); if (mine) await store.again(); });
  const bot = () => action.run('bot', () => once(`${action.path}/bots`, { policy: 'easy' }));
  const [choosing, setChoosing] = useState(false);
  if (seat.kind === 'open') {
    return html`<li class="lobby-seat open"><span class="seat-number">${seat.seat}</span><span class="seat-name muted">Free</span>
      ${host ? html`<${Button} kind="plain" testid=${`bot-${seat.seat}`} onPress=${bot} label=${`Add a bot to a free seat`}>Add a bot<//>` : ''}</li>`;
  }
  return html`<li class=${cls('lobby-seat', mine && 'me')}>
    <span class="seat-number">${seat.seat}</span>
    <span class="seat-name">${seat.name} ${seat.kind === 'bot' ? html`<span class="tag">bot, ${seat.policy || 'easy'}</span>` : ''}
      ${mine ? html`<span class="tag on">you</span>` : ''}
      <span class="seat-faction">${seat.faction ? html`<${Badge} faction=${seat.faction} name />` : html`<span class="muted">any faction</span>`}</span></span>
    ${seat.kind === 'bot' ? '' : html`<span class=${cls('tag', seat.ready ? 'on' : 'away')}>${seat.ready ? 'ready' : 'not ready'}</span>`}
    <span class="seat-buttons">
      ${mine ? html`<${Button} kind=${seat.ready ? 'plain' : 'primary'} testid="ready" onPress=${() => change({ ready: !seat.ready })}>${seat.ready ? 'Not ready' : 'Ready'}<//>` : ''}
      ${host && !mine ? html`<${Button} kind="ghost" onPress=${() => setChoosing(!choosing)} label=${`Faction of ${seat.name}`}>Faction<//>` : ''}
      ${mine || host ? html`<${Button} kind="ghost" testid=${`free-${seat.seat}`} onPress=${leave} label=${mine ? 'Leave your seat' : `Remove ${seat.name}`}>${mine ? 'Leave' : '✕'}<//>` : ''}
    </span>
    ${mine || choosing ? html`<${FactionChoice} room=${room} seat=${seat} label=${`Faction of ${seat.name}`} onChoose=${(faction) => change({ faction })} />` : ''}
  </li>`;
}

function Join({ action, store, room }) {
  const [name, setName] = useState(localStorage.getItem('sietch.name') || '');
  if (!room.seats.some((seat) => seat.kind === 'open')) return html`<p class="muted">Every seat is taken. You will watch the game.</p>`;
  const join = (event) => {
    event.preventDefault();
    if (!name.trim()) return;
    localStorage.setItem('sietch.name', name.trim());
    action.run('join', async () => { await once(`${action.path}/seats`, { name: name.trim() }); await store.again(); });
  };
  return html`<form class="join" onSubmit=${join}><h2>Take a seat</h2>
    <label for="your-name">Your name</label>
    <div class="row"><input id="your-name" required maxlength="40" autocomplete="nickname" value=${name} onInput=${(event) => setName(event.target.value)} />
      <${Button} type="submit" kind="primary" testid="join" off=${name.trim() ? '' : 'Write your name first.'}>Sit down<//></div></form>`;
}

function Invite({ code }) {
  const [said, setSaid] = useState('');
  const link = `${location.origin}/r/${code}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setSaid('Copied.');
    } catch {
      setSaid('Select the link and copy it.');
    }
  };
  return html`<section class="invite"><h2>Invite</h2><p>Send this link to whoever plays, or tell them the code <strong class="code">${code}</strong>.</p>
    <div class="row"><input readonly aria-label="Link to this room" value=${link} onFocus=${(event) => event.target.select()} />
      <${Button} kind="plain" onPress=${copy}>Copy<//></div><p class="sr" role="status">${said}</p></section>`;
}

function StartButton({ room, action }) {
  const taken = room.seats.filter((seat) => seat.kind !== 'open');
  const late = taken.filter((seat) => !seat.ready);
  const off = taken.length < 2 ? 'A game needs at least two seats.' : '';
  const start = () => action.run('start', () => once(`${action.path}/start`, { force: late.length > 0 }));
  return html`<div class="start"><${Button} kind="primary" testid="start" off=${action.busy === 'start' ? 'Starting…' : off} onPress=${start}>
    ${late.length ? 'Start anyway' : 'Start the game'}<//>
    ${late.length ? html`<p class="muted">Not ready: ${late.map((seat) => seat.name).join(', ')}</p>` : ''}</div>`;
}

/** What is played: modules, decks and interpretations, by the names that the rules' data has. The host may change them. */
function Game({ room, action }) {
  const options = useOptions();
  if (!options) return html`<p class="muted" role="status">One moment…</p>`;
  const { settings } = room;
  const host = room.you.host;
  const modules = settings.modules || [];
  const decks = (settings.decks || ['base']).join();
  const change = (body) => action.run('settings', () => request('PATCH', `${action.path}/settings`, body));
  /** What was chosen about a module or deck goes with it. */
  const kept = (lost) => Object.fromEntries(Object.entries(settings.rulings || {}).filter(([name]) => !options.rulings.some((one) => one.name === name && lost(one))));
  const toggle = (id) => change(modules.includes(id) ? { modules: modules.filter((one) => one !== id), rulings: kept((one) => one.module === id) }
    : { modules: [...modules, id] });
  const play = (all) => { const ids = all.map((one) => one.id); change({ decks: ids, rulings: kept((one) => one.deck && !ids.includes(one.deck)) }); };
  const choose = (one, value) => change({ rulings: { ...settings.rulings, [one.name]: value } });
  return html`<section class="game-choice" data-testid="game-choice"><h2>The game</h2>
    ${host ? html`<p class="muted">After a change everybody says again that they are ready.</p>` : ''}
    <ul class="modules">${options.modules.map((one) => html`<li key=${one.id}>
      ${host ? html`<${Button} kind="chip" pressed=${modules.includes(one.id)} testid=${`module-${one.id}`} onPress=${() => toggle(one.id)}>${one.name}<//>`
        : html`<span class=${cls('tag', modules.includes(one.id) && 'on')}>${one.name}: ${modules.includes(one.id) ? 'yes' : 'no'}</span>`}
      <span class="muted">${one.text} ${one.guide ? html`<a href=${`/rules?topic=${one.guide}`} target="_blank" rel="noopener">Rules</a>` : ''}</span></li>`)}</ul>
    <div class="pick" role="group" aria-label="Deck of treachery cards">${options.decks.map((all) => {
    const on = all.map((one) => one.id).join() === decks;
    return host ? html`<${Button} key=${decksName(all)} kind="chip" pressed=${on} testid=${`decks-${all.map((one) => one.id).join('-')}`}
        onPress=${() => on || play(all)}>${decksName(all)}<//>` : on ? html`<p key=${decksName(all)}>${decksName(all)}</p>` : '';
  })}</div>
    <${RulingsOf} options=${options} settings=${settings} onChoose=${host ? choose : undefined} /></section>`;
}

/** @param {{store: import('./store.js').Store}} props */
export function Lobby({ store }) {
  const { room } = store.state;
  const action = useAction(store);
  const seated = room.you.seat !== undefined && room.you.seat !== null;
  const free = room.seats.filter((seat) => seat.kind === 'open').length;
  const fill = () => action.run('bots', async () => {
    for (let left = free; left > 0; left -= 1) await once(`${action.path}/bots`, { policy: 'easy' });
  });
  return html`<main class="lobby">
    <header class="lobby-head"><a class="home-link" href="/">Sietch</a><h1>${room.name}</h1>
      <p class="muted">${room.settings.mode === 'advanced' ? 'Advanced' : 'Basic'} game · ${room.seats.length} seats · ${room.settings.last_turn ?? 10} turns · room <span class="code">${room.code}</span></p></header>
    ${action.error ? html`<p class="refusal" role="alert">${action.error}</p>` : ''}
    <div class="lobby-columns"><section><h2>Seats</h2>
      <ol class="lobby-seats">${room.seats.map((seat) => html`<${SeatRow} key=${seat.seat} seat=${seat} room=${room} action=${action} store=${store} />`)}</ol>
      ${room.you.host && free > 1 ? html`<${Button} kind="plain" testid="fill" off=${action.busy === 'bots' ? 'Adding bots…' : ''} onPress=${fill}>Fill ${free} free seats with bots<//>` : ''}
      <${Game} room=${room} action=${action} />
    </section>
    <section class="lobby-side">
      ${seated ? '' : html`<${Join} action=${action} store=${store} room=${room} />`}
      ${room.you.host ? html`<${StartButton} room=${room} action=${action} />` : html`<p class="muted">The host starts the game.</p>`}
      <${Invite} code=${room.code} />
      <section class="whats"><h2>The factions</h2><ul class="faction-list">${BASE.map((faction) => html`<li key=${faction}><${Badge} faction=${faction} name big />
        <span class="muted">${facts().factions[faction].freeRevival} free ${facts().factions[faction].freeRevival === 1 ? 'revival' : 'revivals'} a turn</span></li>`)}</ul></section>
    </section></div>
  </main>`;
}
