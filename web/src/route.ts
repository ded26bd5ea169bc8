import { useSyncExternalStore } from 'react';

// Addresses stand in the fragment, as the login link does: the server sees
// none of them, and a reload comes back to the same place.
export type Route =
  | { view: 'home' }
  | { view: 'waiting' }
  | { view: 'remembered' }
  | { view: 'new'; agentId: string }
  | { view: 'session'; sessionId: string };

export function parseRoute(hash: string): Route {
  const [view, ...rest] = hash.replace(/^#\/?/, '').split('/');
  const argument = decode(rest.join('/'));
  if (view === 'waiting') return { view: 'waiting' };
  if (view === 'remembered') return { view: 'remembered' };
  if (view === 'new' && argument) return { view: 'new', agentId: argument };
  if (view === 'session' && argument) return { view: 'session', sessionId: argument };
  return { view: 'home' };
}

export function href(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'waiting':
      return '#/waiting';
    case 'remembered':
      return '#/remembered';
    case 'new':
      return `#/new/${encodeURIComponent(route.agentId)}`;
    case 'session':
      return `#/session/${encodeURIComponent(route.sessionId)}`;
  }
}

export function go(route: Route): void {
  location.hash = href(route);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}
