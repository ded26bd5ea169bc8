import { api, ApiError } from '../wire/api';
import type { Store } from '../store/store';

const marker = '#login=';

/**
 * Finds out who is here: by the token of a login link, or by the cookie of an
 * earlier login. The token leaves the address before anything else happens.
 */
export async function login(store: Store): Promise<boolean> {
  const token = location.hash.startsWith(marker) ? location.hash.slice(marker.length) : '';
  if (token) history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  if (token && (await useToken(store, token))) return true;
  return whoAmI(store, token ? 'used' : undefined);
}

async function useToken(store: Store, token: string): Promise<boolean> {
  try {
    const { identity, localKeyAnswers } = await api.login(decodeURIComponent(token));
    store.dispatch({ type: 'loggedIn', identity, localKeyAnswers });
    return true;
  } catch {
    return false; // an earlier login may still be good
  }
}

async function whoAmI(store: Store, trouble: 'used' | undefined): Promise<boolean> {
  try {
    const { identity, localKeyAnswers } = await api.me();
    store.dispatch({ type: 'loggedIn', identity, localKeyAnswers });
    return true;
  } catch (error) {
    const refused = error instanceof ApiError && error.status !== 0 && error.status < 500;
    store.dispatch({ type: 'loggedOut', trouble: refused ? trouble : 'unreachable' });
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
