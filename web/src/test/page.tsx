import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { createStore, StoreContext, type Store } from '../store/store';
import type { Role } from '../wire/wire';

/** A store as it is once somebody has logged in and the line stands. */
export function storeOf(roles: Role[] = ['admin']): Store {
  const store = createStore();
  store.dispatch(
    { type: 'loggedIn', identity: { subject: 'ada', roles } },
    { type: 'connection', connection: { phase: 'online', attempts: 0 } },
  );
  return store;
}

export function page(store: Store, children: ReactNode) {
  return render(
    <MantineProvider env="test">
      <StoreContext value={store}>{children}</StoreContext>
    </MantineProvider>,
  );
}

interface Reply {
  status?: number;
  body?: unknown;
}

/** A gateway that answers by "METHOD path", and what it was asked. */
export function gateway(replies: Record<string, Reply | (() => Reply)>) {
  const asked: { what: string; body?: unknown }[] = [];
  vi.stubGlobal('fetch', (path: string, init: { method: string; body: string | null }) => {
    const what = `${init.method} ${path}`;
    asked.push({ what, ...(init.body ? { body: JSON.parse(init.body) as unknown } : {}) });
    const found = replies[what];
    const { status = 200, body } = (typeof found === 'function' ? found() : found) ?? { status: 404 };
    return Promise.resolve(new Response(JSON.stringify(body ?? {}), { status }));
  });
  return asked;
}
