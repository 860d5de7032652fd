/** Home: make a room, go to one by its code, see what is being played. */
import { html, render, useEffect, useState } from './html.js';
import { once, request } from './api.js';
import { phaseName } from './facts.js';
import { Button } from './ui.js';

const STATES = { lobby: 'waiting for players', running: 'being played', finished: 'over' };

/** How far a room's game is. @param {{state: string, turn: number, phase: string}} room */
function howFar({ state, turn, phase }) {
  if (!turn) return '';
  return state === 'finished' ? ` · over in turn ${turn}` : ` · turn ${turn}, ${phaseName(phase)}`;
}

function Make() {
  const [name, setName] = useState('');
  const [player, setPlayer] = useState(localStorage.getItem('sietch.name') || '');
  const [seats, setSeats] = useState(6);
  const [mode, setMode] = useState('basic');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const make = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    const body = { settings: { mode, seats } };
    if (name.trim()) body.name = name.trim();
    if (player.trim()) {
      body.player = player.trim();
      localStorage.setItem('sietch.name', player.trim());
    }
    try {
      const made = await once('/api/rooms', body);
      location.assign(`/r/${made.code}`);
    } catch (failure) {
      setError(failure.message);
      setBusy(false);
    }
  };
  return html`<form class="panel make" onSubmit=${make}><h2>New room</h2>
    <label>Your name <input name="player" maxlength="40" autocomplete="nickname" placeholder="leave empty to host without a seat"
      value=${player} onInput=${(event) => setPlayer(event.target.value)} /></label>
    <label>Name of the room <input name="room" maxlength="60" placeholder="A table on Arrakis" value=${name} onInput=${(event) => setName(event.target.value)} /></label>
    <div class="pick" role="group" aria-label="Game"><span class="nowrap">Game</span><span class="numbers">
      ${[['basic', 'Basic'], ['advanced', 'Advanced']].map(([id, name]) => html`<button type="button" key=${id} class="number word" aria-pressed=${String(id === mode)}
        data-testid=${`mode-${id}`} onClick=${() => setMode(id)}>${name}</button>`)}</span></div>
    <div class="pick" role="group" aria-label="Seats"><span class="nowrap">Seats</span><span class="numbers">
      ${[2, 3, 4, 5, 6].map((number) => html`<button type="button" key=${number} class="number" aria-pressed=${String(number === seats)}
        data-testid=${`seats-${number}`} onClick=${() => setSeats(number)}>${number}</button>`)}</span></div>
    ${error ? html`<p class="refusal" role="alert">${error}</p>` : ''}
    <${Button} type="submit" kind="primary" testid="make" off=${busy ? 'One moment…' : ''}>Make the room<//>
  </form>`;
}

function ByCode() {
  const [code, setCode] = useState('');
  const go = (event) => {
    event.preventDefault();
    if (code.trim()) location.assign(`/r/${encodeURIComponent(code.trim().toUpperCase())}`);
  };
  return html`<form class="panel" onSubmit=${go}><h2>Join by code</h2><div class="row">
    <input aria-label="Code of the room" maxlength="12" autocapitalize="characters" autocomplete="off" spellcheck=${false} placeholder="Code"
      value=${code} onInput=${(event) => setCode(event.target.value)} />
    <${Button} type="submit" kind="plain">Go there<//></div></form>`;
}

function Directory() {
  const [rooms, setRooms] = useState(null);
  const [error, setError] = useState('');
  useEffect(() => {
    const load = async () => {
      try {
        const found = await request('GET', '/api/rooms');
        setRooms(Array.isArray(found) ? found : found.rooms || []);
        setError('');
      } catch (failure) {
        setError(failure.message);
      }
    };
    load();
    const timer = setInterval(() => { if (!document.hidden) load(); }, 10000);
    return () => clearInterval(timer);
  }, []);
  return html`<section class="panel directory"><h2>Rooms</h2>
    ${error ? html`<p class="refusal" role="alert">${error}</p>` : ''}
    ${rooms === null && !error ? html`<p class="muted">Looking…</p>` : ''}
    ${rooms && !rooms.length ? html`<p class="muted">No room yet. Make the first.</p>` : ''}
    <ul class="rooms">${(rooms || []).map((room) => html`<li key=${room.code}><a href=${`/r/${room.code}`}>
      <span class="room-name">${room.name}</span>
      <span class="room-facts">${room.players} of ${room.seats} seats · ${room.mode}${howFar(room)}</span>
      <span class=${`tag ${room.state}`}>${STATES[room.state] || room.state}</span></a></li>`)}</ul>
  </section>`;
}

render(html`<${Make} /><div class="home-side"><${ByCode} /><${Directory} /></div>`, document.getElementById('home'));
