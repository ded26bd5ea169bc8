import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import { vi } from 'vitest';
import { ConnectionContext, type Commands } from '../connection/context';
import { StoreContext } from '../store/store';
import type { ApprovalRequest, Role } from '../wire/wire';
import { ApprovalCard } from '../card/ApprovalCard';
import { storeOf } from './page';

export type SpiedCommands = { [K in keyof Commands]: ReturnType<typeof vi.fn<Commands[K]>> };

export function commandsOf(): SpiedCommands {
  return {
    answer: vi.fn(),
    takeBack: vi.fn(),
    say: vi.fn(),
    tell: vi.fn(() => Promise.resolve({ taken: true })),
    discard: vi.fn(),
    cancel: vi.fn(),
    finishTool: vi.fn(),
    look: vi.fn(),
  };
}

/** The card of one request, which can be moved, left and come back to. */
export function cardPage(request: ApprovalRequest, commands: SpiedCommands, roles: Role[] = ['admin']) {
  const store = storeOf(roles);
  store.dispatch({ type: 'frame', frame: { event: 'approvalRequest', data: request }, now: Date.now() });
  const page = (place: string) => (
    <MantineProvider env="test">
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <ApprovalCard request={request} place={place} />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>
  );
  const { rerender, unmount } = render(page('here'));
  return {
    store,
    move: (place: string) => rerender(page(place)),
    leave: () => {
      unmount();
      return () => void render(page('back'));
    },
  };
}
