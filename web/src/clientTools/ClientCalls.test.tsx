import { act, fireEvent, render, screen } from '@testing-library/react';
import { MantineProvider } from '@mantine/core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientTools } from '../connection/clientTools';
import { ConnectionContext } from '../connection/context';
import { StoreContext, type Store } from '../store/store';
import { commandsOf } from '../test/card';
import { golden } from '../test/golden';
import { storeOf } from '../test/page';
import type { ClientFrame, ClientToolCall } from '../wire/wire';
import { armDelay } from '../answer/arming';
import { ClientCalls } from './ClientCalls';

const welcome = golden('welcome', 'welcome');
const copy = golden('toolCall', 'toolCall').data;
const call = (toolName: string, args: unknown): ClientToolCall => ({ ...copy, toolName, args });
const link = call('ui.openLink', { url: 'https://example.com/a\u202Eb' });

let store: Store;
let tools: ClientTools;
let sent: ClientFrame[];
let opened: ReturnType<typeof vi.fn>;
let written: ReturnType<typeof vi.fn<(text: string) => Promise<void>>>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(welcome.data.serverTime) });
  opened = vi.fn();
  written = vi.fn(() => Promise.resolve());
  vi.stubGlobal('open', opened);
  vi.stubGlobal('navigator', { clipboard: { writeText: written } });
  store = storeOf();
  sent = [];
  tools = new ClientTools(store, (frame) => sent.push(frame));
  const commands = { ...commandsOf(), finishTool: tools.finish.bind(tools) };
  render(
    <MantineProvider env="test">
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <ClientCalls />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>,
  );
});

const receive = (...calls: ClientToolCall[]) => act(() => calls.forEach((c) => tools.received(c)));
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const shown = () => screen.queryAllByTestId('client-call');
const outcomes = () => sent.flatMap((f) => (f.event === 'toolResult' ? [f.data] : []));
const { toolCallId } = copy;

describe('a notice of an agent', () => {
  it('names the agent, shows hidden characters, and goes by itself', async () => {
    receive(call('ui.showNotification', { text: 'all \u202Edone' }));
    expect(screen.getByRole('heading').textContent).toBe('Notice from demo');
    expect(screen.getByText(/all/).textContent).toContain('⟨U+202E⟩');
    expect(outcomes()).toEqual([{ toolCallId, result: { shown: true } }]);
    await wait(15_000);
    expect(shown()).toHaveLength(0);
    expect(outcomes()).toHaveLength(1);
  });

  it('stays while somebody reads it, until it is closed', async () => {
    receive(call('ui.showNotification', { text: 'done' }));
    fireEvent.pointerEnter(shown()[0]!);
    await wait(60_000);
    expect(shown()).toHaveLength(1);
    fireEvent.click(button('Close this notice'));
    expect(shown()).toHaveLength(0);
  });
});

describe('a link', () => {
  it('is shown whole, and opened by a click and by nothing else', async () => {
    receive(link);
    await wait(armDelay);
    expect(screen.getByRole('heading').textContent).toBe('demo wants to open a link');
    expect(screen.getByText('example.com')).toBeDefined();
    expect(screen.getByLabelText('Leads to').textContent).toBe('https://example.com/a%E2%80%AEb');
    expect(screen.getByLabelText('Written as').textContent).toBe('https://example.com/a⟨U+202E⟩b');
    expect(opened).not.toHaveBeenCalled();
    fireEvent.click(button('Open'));
    expect(opened.mock.calls).toEqual([['https://example.com/a%E2%80%AEb', '_blank', 'noopener,noreferrer']]);
    expect(outcomes()).toEqual([{ toolCallId, result: { opened: true } }]);
    expect(shown()).toHaveLength(0);
  });

  it('is not opened by a click that was meant for what stood there before', async () => {
    receive(link);
    fireEvent.pointerDown(button('Open'));
    fireEvent.click(button('Open'));
    await wait(armDelay);
    receive({ ...copy, toolCallId: 'another' }); // which moves it
    fireEvent.pointerDown(button('Open'));
    fireEvent.click(button('Open'));
    expect(opened).not.toHaveBeenCalled();
  });

  it('is left alone, and the agent is told so', async () => {
    receive(link);
    await wait(armDelay);
    fireEvent.click(button('Not now'));
    expect(opened).not.toHaveBeenCalled();
    expect(outcomes()).toEqual([{ toolCallId, error: 'the person declined' }]);
    expect(shown()).toHaveLength(0);
  });

  it('counts down, and can’t be opened when the time is up', async () => {
    receive(link);
    expect(screen.getByRole('timer').textContent).toBe('0:29 left');
    await wait(30_000);
    expect(screen.getByRole('timer').textContent).toBe('Time is up');
    expect(button('Open').disabled).toBe(true);
  });

  it('that is cancelled goes away', () => {
    receive(link);
    act(() => tools.cancelled(toolCallId));
    expect(shown()).toHaveLength(0);
  });
});

describe('a text to copy', () => {
  it('is shown, and copied by a click', async () => {
    receive(call('ui.copyText', { text: 'curl x\u200B' }));
    await wait(armDelay);
    expect(screen.getByRole('heading').textContent).toBe('Copy text from demo');
    expect(screen.getByLabelText('Text to copy').textContent).toBe('curl x⟨U+200B⟩');
    expect(written).not.toHaveBeenCalled();
    fireEvent.click(button('Copy'));
    fireEvent.click(button('Copy'));
    await wait(0);
    expect(written.mock.calls).toEqual([['curl x\u200B']]);
    expect(outcomes()).toEqual([{ toolCallId, result: { copied: true } }]);
    expect(shown()).toHaveLength(0);
  });

  it('that the browser does not copy stays, and is not told as copied', async () => {
    written.mockRejectedValue(new Error('denied'));
    receive(copy);
    await wait(armDelay);
    fireEvent.click(button('Copy'));
    await wait(armDelay);
    expect(screen.getByRole('alert').textContent).toContain('did not allow copying');
    expect(outcomes()).toEqual([]);
    await wait(armDelay);
    fireEvent.click(button('Not now'));
    expect(outcomes()).toEqual([{ toolCallId, error: 'the person declined' }]);
  });
});
