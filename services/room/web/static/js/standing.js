/** What may be done at any time: special cards, bribes, deals, permissions, standing orders. */
import { html, useState } from './html.js';
import { Question } from './decision.js';
import { kindName } from './phrases.js';
import { Choice, Sheet } from './ui.js';

/** @param {{store: import('./store.js').Store, onClose: () => void}} props */
export function MoreSheet({ store, onClose }) {
  const { standing } = store.state.view;
  const [kind, setKind] = useState(standing.length === 1 ? standing[0].kind : '');
  const offer = standing.find((one) => one.kind === kind);
  if (!offer) {
    return html`<${Sheet} title="At any time" onClose=${onClose} testid="more-sheet">
      <p class="muted">These are open to you now, whatever is being decided.</p>
      <div class="options">${standing.map((one) => html`<${Choice} key=${one.id} label=${kindName(one.kind)} detail=${one.why}
        testid=${`standing-${one.kind}`} onPress=${() => setKind(one.kind)} />`)}
        ${standing.length ? '' : html`<p class="muted">Nothing at the moment.</p>`}</div>
    <//>`;
  }
  return html`<${Sheet} title=${kindName(offer.kind)} onClose=${onClose} testid="more-sheet">
    ${standing.length > 1 ? html`<button type="button" class="button ghost back" onClick=${() => setKind('')}>‹ All of them</button>` : ''}
    <${Question} key=${offer.id} offer=${offer} store=${store} onSent=${onClose} />
  <//>`;
}
