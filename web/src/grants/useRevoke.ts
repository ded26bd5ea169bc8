import { useContext, useState } from 'react';
import { api } from '../wire/api';
import { StoreContext } from '../store/store';
import { texts } from './texts';
import type { Grant } from '../wire/wire';

export interface Revoked {
  text: string;
  failed: boolean;
}

/** Ends grants, and tells in words what came of it. */
export function useRevoke() {
  const store = useContext(StoreContext);
  const [busy, setBusy] = useState<string>();
  const [result, setResult] = useState<Revoked>();
  const revoke = async (grant: Grant) => {
    setBusy(grant.grantId);
    setResult(undefined);
    try {
      const over = await api.revoke(grant.grantId);
      store.dispatch({ type: 'grants', grants: [over] });
      setResult({ text: outcome(over), failed: false });
    } catch (error) {
      setResult({ text: texts.grants.revokeFailed((error as Error).message), failed: true });
    }
    setBusy(undefined);
  };
  return { busy, result, revoke: (grant: Grant) => void revoke(grant) };
}

function outcome(grant: Grant): string {
  const t = texts.grants;
  if (grant.ended?.reason === 'revoked') return t.revoked(grant.covers.text);
  return t.wasOver(grant.covers.text, t.ended(grant.ended?.reason));
}
