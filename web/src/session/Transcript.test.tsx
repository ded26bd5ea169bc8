import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionContext } from '../connection/context';
import { StoreContext, useStore, type Store } from '../store/store';
import { commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import { storeOf } from '../test/page';
import type { SessionEvent } from '../wire/wire';
import { Transcript } from './Transcript';

const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const { sessionId } = session;

let store: Store;
let commands: SpiedCommands;

function Shown() {
  const entry = useStore((s) => s.sessions[sessionId])!;
  return <Transcript entry={entry} working={false} />;
}

const phase = (to: 'online' | 'offline') =>
  store.dispatch({ type: 'connection', connection: { phase: to, attempts: 0 } });

beforeEach(() => {
  commands = commandsOf();
  store = storeOf();
  store.dispatch(
    { type: 'sessionCreated', session: { ...session, seq: 0 } },
    { type: 'view', session: sessionId },
    { type: 'follow', session: sessionId, follow: 'live' },
    {
      type: 'saying',
      session: sessionId,
      message: { key: 'k', text: 'go on', seen: 0, phase: 'sending' },
    },
  );
  phase('offline');
  render(
    <MantineProvider env="test">
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <Shown />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>,
  );
});

const again = () => screen.queryByRole('button', { name: 'Send again' });
const comes = (...texts: string[]) =>
  texts.map((text, i) => {
    const data = { session: sessionId, seq: i + 1, type: 'message.user', at: '', data: { text, by: 'ada' } };
    return {
      type: 'frame',
      frame: { event: 'sessionEvent', data: data as SessionEvent },
      now: 0,
    } as const;
  });
const live = { type: 'follow', session: sessionId, follow: 'live' } as const;

describe('a message whose confirmation was lost', () => {
  it('is offered again only once the conversation is here, without it', () => {
    expect(again()).toBeNull();
    act(() => phase('online'));
    expect(again()).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('checks whether it arrived');
    act(() => store.dispatch(...comes('something else'), live));
    expect(screen.getByRole('alert').textContent).toContain('this is not certain');
    fireEvent.click(again()!);
    expect(commands.say).toHaveBeenCalledExactlyOnceWith(sessionId, 'go on', 'k');
  });

  it('is not offered where the conversation has it', () => {
    act(() => phase('online'));
    act(() => store.dispatch(...comes('go on'), live));
    expect(again()).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getAllByText('go on')).toHaveLength(1);
  });
});
