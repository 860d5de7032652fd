/** The room's page: loads the facts, opens the stream, and shows the lobby or the table, as the room stands. */
import { html, render, useEffect, useReducer } from './html.js';
import { loadFacts } from './facts.js';
import { Lobby } from './lobby.js';
import { Store } from './store.js';
import { Table } from './table.js';

/** @param {{store: Store}} props */
function Page({ store }) {
  const [, again] = useReducer((count) => count + 1, 0);
  useEffect(() => store.subscribe(again), [store]);
  const { room, view, missing } = store.state;
  if (missing) return html`<main class="notice" role="alert"><h1>Sietch</h1><p>${missing}</p><p><a href="/">Back to the list of rooms</a></p></main>`;
  if (!room) return html`<main class="notice"><p role="status">Looking for the room…</p></main>`;
  if (room.state === 'lobby') return html`<${Lobby} store=${store} />`;
  if (!view) return html`<main class="notice"><p role="status">The table is being set…</p></main>`;
  return html`<${Table} store=${store} />`;
}

async function begin() {
  const root = document.getElementById('room');
  const store = new Store(root.dataset.code);
  try {
    await loadFacts(root.dataset.facts);
  } catch (error) {
    store.set({ missing: error.message });
  }
  render(html`<${Page} store=${store} />`, root);
  if (!store.state.missing) await store.begin();
  // A page that slept takes up where it was: the stream is opened again at once instead of after its pause.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && store.state.line === 'broken') store.stream.open();
  });
  window.addEventListener('online', () => store.stream.open());
}

begin();
