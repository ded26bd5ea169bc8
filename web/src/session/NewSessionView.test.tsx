import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { MantineProvider } from '@mantine/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionContext } from '../connection/context';
import { saveUnsentText } from '../browser/unsentText';
import { StoreContext } from '../store/store';
import { commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import { gateway, storeOf } from '../test/page';
import NewSessionView from './NewSessionView';

const session = golden('snapshot', 'snapshot').data.sessions[0]!;

let commands: SpiedCommands;
beforeEach(() => {
  commands = commandsOf();
  saveUnsentText('new/demo', '');
});

const box = () => screen.getByLabelText<HTMLTextAreaElement>('Message to the agent');

async function send(status: number) {
  const body = status === 201 ? session : { detail: 'out of order' };
  gateway({ 'POST /api/sessions': { status, body } });
  const store = storeOf();
  render(
    <MantineProvider env="test">
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <NewSessionView agentId="demo" />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>,
  );
  fireEvent.change(box(), { target: { value: 'a long thought' } });
  fireEvent.keyDown(box(), { key: 'Enter' });
  const kept = box().value;
  await waitFor(() => expect([box().disabled, box().value === '']).toEqual([status === 201, status === 201]));
  return { store, kept };
}

describe('the first message of a session', () => {
  it('stays in its box where no session could be made for it', async () => {
    const { store, kept } = await send(503);
    expect(kept).toBe('a long thought');
    expect(box().value).toBe('a long thought');
    expect(store.get().notices).toMatchObject([{ kind: 'trouble', text: 'out of order' }]);
    expect(commands.say).not.toHaveBeenCalled();
  });

  it('leaves its box once the session is there', async () => {
    await send(201);
    expect(commands.say).toHaveBeenCalledExactlyOnceWith(session.sessionId, 'a long thought');
    expect(box().value).toBe('');
  });
});
