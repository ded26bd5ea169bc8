import { api, Problem } from '../wire/api';
import { hasLoggedIn } from '../wire/proof';
import type { LinkTrouble } from '../store/state';
import type { Store } from '../store/store';
import { dropForeignWorkers } from './workers';

const marker = '#login=';
const linkPrefix = 'lci_';

/**
 * Finds out who is here, by an earlier login. A login link is only looked at: whoever opened it is asked
 * first. Its token leaves the address before anything else happens; a lasting one is not taken from there.
 */
export async function login(store: Store): Promise<boolean> {
  const hash = location.hash;
  const token = hash.startsWith(marker) ? hash.slice(marker.length) : '';
  if (token) history.replaceState(null, '', location.pathname + location.search);
  const trouble = token ? await lookAt(store, token) : undefined;
  return whoAmI(store, trouble);
}

const linkTroubles: Record<string, LinkTrouble> = {
  link_used: 'used',
  link_withdrawn: 'withdrawn',
  link_expired: 'expired',
};

async function lookAt(store: Store, token: string): Promise<LinkTrouble | 'token' | undefined> {
  if (!token.startsWith(linkPrefix)) return 'token';
  try {
    store.dispatch({ type: 'link', link: { token, identity: await api.lookAtLink(token) } });
    return undefined;
  } catch (error) {
    // An earlier login may still be valid.
    return (error instanceof Problem && linkTroubles[error.code]) || 'unknown';
  }
}

/** Logs in by the link that was opened. */
export async function useLink(store: Store, token: string): Promise<void> {
  await dropForeignWorkers();
  const { identity, localKeyAnswers, cluster } = await api.login(token);
  store.dispatch({ type: 'loggedIn', identity, localKeyAnswers, cluster });
}

async function whoAmI(store: Store, trouble?: LinkTrouble | 'token'): Promise<boolean> {
  try {
    const { identity, localKeyAnswers, cluster } = await api.me();
    const link = trouble && trouble !== 'token' ? { trouble } : store.get().link;
    store.dispatch({ type: 'loggedIn', identity, localKeyAnswers, cluster }, { type: 'link', link });
    return true;
  } catch (error) {
    const refused = error instanceof Problem && error.status < 500;
    store.dispatch({
      type: 'loggedOut',
      trouble: refused ? (trouble ?? (hasLoggedIn() ? 'over' : undefined)) : 'unreachable',
      end: refused ? api.loginEnd() : undefined,
    });
    return false;
  }
}

/** A link opened in a tab that shows the page already changes only the fragment. */
export function onLoginLink(act: () => void): () => void {
  const listener = () => {
    if (location.hash.startsWith(marker)) act();
  };
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}
