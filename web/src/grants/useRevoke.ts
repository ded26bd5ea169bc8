import { useContext, useState } from 'react';
import { api } from '../wire/api';
import { coveredBy } from '../request/granted';
import { StoreContext } from '../store/store';
import { texts } from './texts';
import type { Grant } from '../wire/wire';

export interface Revoked {
  text: string;
  failed: boolean;
}

/** Ends grants, and tells in words what came of it; also whoever wants to know. */
export function useRevoke(onRevoked?: () => void) {
  const store = useContext(StoreContext);
  const [busy, setBusy] = useState<string>();
  const [result, setResult] = useState<Revoked>();
  const revoke = async (grantId: string) => {
    setBusy(grantId);
    setResult(undefined);
    try {
      const over = await api.revoke(grantId);
      store.dispatch({ type: 'grants', grants: [over] });
      setResult({ text: outcome(over), failed: false });
      onRevoked?.();
    } catch (error) {
      setResult({ text: texts.grants.revokeFailed((error as Error).message), failed: true });
    }
    setBusy(undefined);
  };
  return { busy, result, revoke: (grantId: string) => void revoke(grantId) };
}

function outcome(grant: Grant): string {
  const t = texts.grants;
  if (grant.ended?.reason === 'revoked') return t.revoked(coveredBy(grant));
  return t.wasOver(coveredBy(grant), t.ended(grant.ended?.reason));
}
