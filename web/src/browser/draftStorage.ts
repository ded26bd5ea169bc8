import type { Draft, State } from '../store/state';
import type { Store } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';

// What is typed into the fields of cards, kept for this tab over a reload.
const name = 'lineclear.drafts';

export function loadDrafts(): State['drafts'] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as State['drafts']) : {};
  } catch {
    return {}; // no storage, or not ours
  }
}

/** Writes down what is typed, of what waits. */
export function saveDrafts(store: Store): void {
  let written = store.get().drafts;
  store.subscribe(() => {
    const state = store.get();
    if (state.drafts === written || !state.haveSnapshot) return;
    written = state.drafts;
    const kept = Object.entries(written).flatMap(([id, draft]) => {
      const request = state.pending[id];
      return request ? [[id, withoutSecrets(draft, request)]] : [];
    });
    try {
      if (kept.length > 0) sessionStorage.setItem(name, JSON.stringify(Object.fromEntries(kept)));
      else sessionStorage.removeItem(name);
    } catch {
      // Full, or none: then it holds until the page is closed.
    }
  });
}

// What is typed into a field for a secret is written down nowhere.
function withoutSecrets(draft: Draft, { schema, hasSecrets }: ApprovalRequest): Draft {
  const { args, values, json, ...rest } = draft;
  const kept = hasSecrets || args === undefined ? rest : { ...rest, args };
  if (schema !== undefined && JSON.stringify(schema).includes('"password"')) return kept;
  return { ...kept, ...(values && { values }), ...(json !== undefined && { json }) };
}
