/** What may be done at any time: special cards, bribes, deals, permissions, standing orders. */
import { html, useEffect, useRef, useState } from './html.js';
import { request } from './api.js';
import { Question } from './decision.js';
import { kindName } from './phrases.js';
import { Choice, Sheet } from './ui.js';

/**
 * Views list standing offers in short; this is the whole of one, asked for when it is opened and again when it changes.
 * `moved`: since it was opened it has come to be bound to another occasion, another battle say, and its id has changed.
 * @param {import('./store.js').Store} store
 * @param {{id: string}|undefined} short
 * @returns {{offer: import('./types.js').Offer|null, error: string, moved: boolean}}
 */
function useWhole(store, short) {
  const [found, setFound] = useState({ offer: null, error: '', moved: false });
  const last = useRef('');
  const drafted = useRef(undefined);
  const id = short?.id;
  // The store forgets the draft of what is not open any more: the last one is kept here.
  if (last.current in store.state.drafts) drafted.current = store.state.drafts[last.current];
  useEffect(() => {
    if (!id) return undefined;
    let wanted = true;
    request('GET', `/api/rooms/${store.code}/offers/${encodeURIComponent(id)}`).then(
      ({ offer }) => {
        if (!wanted) return;
        // What was drafted goes on in the same question under its new id.
        const moved = last.current !== '' && last.current !== offer.id;
        if (moved && drafted.current !== undefined) store.draft(offer.id, drafted.current);
        last.current = offer.id;
        setFound((old) => ({ offer, error: '', moved: moved || old.moved }));
      },
      (failure) => wanted && setFound((old) => ({ ...old, error: failure.message })),
    );
    return () => { wanted = false; };
  }, [id, store.state.seq]);
  return found;
}

function Whole({ store, short, onBack, onClose }) {
  const { offer, error, moved } = useWhole(store, short);
  return html`<${Sheet} title=${kindName(short.kind)} onClose=${onClose} testid="more-sheet">
    ${onBack ? html`<button type="button" class="button ghost back" onClick=${onBack}>‹ All of them</button>` : ''}
    ${error ? html`<p class="refusal" role="alert">${error}</p>` : ''}
    ${moved ? html`<p role="status" class="muted" data-testid="moved-on">The game has gone on since you opened this. What you send counts for what is open now.</p>` : ''}
    ${offer ? html`<${Question} key=${short.kind} offer=${offer} store=${store} onSent=${onClose} plain />`
      : error ? '' : html`<p role="status" class="muted">One moment…</p>`}
  <//>`;
}

/** `first`: the kind that is opened at once, if it is still there.
 * @param {{store: import('./store.js').Store, first?: string, onClose: () => void}} props */
export function MoreSheet({ store, first, onClose }) {
  const { standing } = store.state.view;
  const [kind, setKind] = useState(standing.length === 1 ? standing[0].kind : first || '');
  const short = standing.find((one) => one.kind === kind);
  if (short) {
    return html`<${Whole} key=${kind} store=${store} short=${short} onClose=${onClose} onBack=${standing.length > 1 ? () => setKind('') : null} />`;
  }
  return html`<${Sheet} title="At any time" onClose=${onClose} testid="more-sheet">
    <p class="muted">These are open to you now, whatever is being decided.</p>
    <div class="options">${standing.map((one) => html`<${Choice} key=${one.id} label=${kindName(one.kind)} detail=${one.why}
      testid=${`standing-${one.kind}`} onPress=${() => setKind(one.kind)} />`)}
      ${standing.length ? '' : html`<p class="muted">Nothing at the moment.</p>`}</div>
  <//>`;
}
