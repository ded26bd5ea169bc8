import { useContext, useEffect } from 'react';
import { api } from '../wire/api';
import { useReturnCount } from '../browser/useReturnCount';
import { StoreContext, useStore, type Store } from '../store/store';

/** Rereads the agents and their modes when the line comes up or somebody comes back; frames tell of the rest. */
export function useAgentsRefresh(): void {
  const store = useContext(StoreContext);
  const online = useStore((s) => s.connection.phase === 'online');
  const returns = useReturnCount();
  useEffect(() => {
    void fetchAgents(store);
  }, [store, online, returns]);
}

async function fetchAgents(store: Store): Promise<void> {
  const before = store.get().agents;
  try {
    const agents = await api.agents();
    // A mode was set meanwhile: this list may be from before that.
    if (store.get().agents === before) store.dispatch({ type: 'agents', agents });
  } catch (error) {
    // The line's own state tells of a gateway that is away; the first list is told by itself.
    const { agents, connection } = store.get();
    if (!agents && connection.phase === 'online') {
      store.dispatch({ type: 'trouble', text: (error as Error).message });
    }
  }
}
