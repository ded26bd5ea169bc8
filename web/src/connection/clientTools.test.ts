import { beforeEach, describe, expect, it } from 'vitest';
import { ClientTools } from './clientTools';
import { golden } from '../test/golden';
import { storeOf } from '../test/page';
import type { ClientFrame, ClientToolCall, Failure } from '../wire/wire';

const copy = golden('toolCall', 'toolCall').data;
const id = copy.toolCallId;
const call = (toolName: string, args: unknown): ClientToolCall => ({ ...copy, toolName, args });
const notification = call('ui.showNotification', { text: 'done' });
const link = (url: unknown) => call('ui.openLink', { url });

let store: ReturnType<typeof storeOf>;
let tools: ClientTools;
let sent: ClientFrame[];

beforeEach(() => {
  store = storeOf();
  sent = [];
  tools = new ClientTools(store, (frame) => sent.push(frame));
});

const shown = () => store.get().clientCalls.map((c) => c.showing);
const said = () => sent.map((f) => [f.event, f.data]);
const started = ['toolStart', { toolCallId: id }];
const resulted = (outcome: object) => ['toolResult', { toolCallId: id, ...outcome }];
const offline = () => store.dispatch({ type: 'connection', connection: { phase: 'offline', attempts: 1 } });

describe('a call of a client tool', () => {
  it('that shows a notice is done when it is shown, and the notice stays', () => {
    tools.received(notification);
    expect(said()).toEqual([started, resulted({ result: { shown: true } })]);
    expect(shown()).toEqual([{ kind: 'notification', text: 'done' }]);
    tools.finish(id, { result: { shown: true } });
    expect(shown()).toEqual([]);
    expect(sent).toHaveLength(2);
  });

  it('that would do something only shows it, and waits for the person', () => {
    tools.received(copy);
    expect(said()).toEqual([started]);
    expect(shown()).toEqual([{ kind: 'copy', text: 'hello' }]);
    tools.finish(id, { result: { copied: true } });
    expect(said()).toEqual([started, resulted({ result: { copied: true } })]);
    expect(shown()).toEqual([]);
  });

  it('is answered once', () => {
    tools.received(copy);
    tools.finish(id, { result: { copied: true } });
    tools.finish(id, { error: 'the person declined' });
    expect(sent).toHaveLength(2);
  });

  it('that comes again is not done again, and gets the same answer', () => {
    tools.received(copy);
    tools.received(copy);
    expect(shown()).toHaveLength(1);
    tools.finish(id, { result: { copied: true } });
    tools.received(copy);
    expect(shown()).toEqual([]);
    expect(said().slice(2)).toEqual([
      resulted({ result: { copied: true } }),
      resulted({ result: { copied: true } }),
    ]);
    tools.received(notification); // the same id
    expect(shown()).toEqual([]);
  });

  it('that nobody waits for any more goes away, and what is pressed afterwards says nothing', () => {
    tools.received(copy);
    tools.cancelled(golden('toolCancel', 'toolCancel').data.toolCallId);
    expect(shown()).toEqual([]);
    tools.finish(id, { result: { copied: true } });
    expect(said()).toEqual([started]);
  });

  it('goes with the connection, and says so; a notice stays to be read', () => {
    tools.received(copy);
    tools.received({ ...notification, toolCallId: 'other' });
    offline();
    expect(shown()).toEqual([{ kind: 'notification', text: 'done' }]);
    expect(store.get().notices).toMatchObject([{ kind: 'note' }]);
  });

  it('of a tool that this page does not have is refused', () => {
    tools.received(call('ui.rebootComputer', {}));
    expect(said()).toEqual([resulted({ error: 'this page has no tool ui.rebootComputer' })]);
    expect(shown()).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['a number', { text: 5 }],
    ['an empty text', { text: ' ' }],
  ])('with %s for its text is refused, and nothing is shown', (_, args) => {
    tools.received(call('ui.copyText', args));
    expect(said()).toEqual([resulted({ error: 'text: want a text that is not empty' })]);
    expect(shown()).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/api/logout',
    '//example.com',
    'example.com',
    'about:blank',
  ])('to open %s is refused', (url) => {
    tools.received(link(url));
    expect(said()).toEqual([resulted({ error: 'url: want a whole http or https address' })]);
    expect(shown()).toEqual([]);
  });

  it('to open an address shows what the browser makes of it', () => {
    tools.received(link('https://example.com@еxample.org/a\u202Eb'));
    expect(shown()).toEqual([
      {
        kind: 'link',
        written: 'https://example.com@еxample.org/a\u202Eb',
        href: 'https://example.com@xn--xample-2of.org/a%E2%80%AEb',
        host: 'xn--xample-2of.org',
      },
    ]);
  });

  it('whose start comes too late is taken off the screen', () => {
    tools.received(copy);
    const gone: Failure = { code: 'unknown_call', message: 'no such call' };
    tools.refused({ event: 'toolStart', data: { toolCallId: id } }, gone);
    expect(shown()).toEqual([]);
  });

  it('whose result does not fit what the gateway wants ends with an error, and not without an end', () => {
    tools.received(notification);
    const misfit: Failure = { code: 'invalid', message: 'result: does not fit' };
    tools.refused({ event: 'toolResult', data: { toolCallId: id, result: { shown: true } } }, misfit);
    tools.refused({ event: 'toolResult', data: { toolCallId: id, error: 'x' } }, misfit);
    expect(said().slice(2)).toEqual([resulted({ error: 'result: does not fit' })]);
  });

  it('can’t fill the screen with notices', () => {
    for (let i = 0; i < 9; i++) tools.received({ ...notification, toolCallId: `n${i}` });
    expect(store.get().clientCalls.map((c) => c.call.toolCallId)).toEqual(['n5', 'n6', 'n7', 'n8']);
  });
});
