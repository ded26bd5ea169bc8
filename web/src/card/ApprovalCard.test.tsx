import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionContext, type Commands } from '../connection/context';
import { createStore, StoreContext, type Store } from '../store/store';
import { golden } from '../test/golden';
import type { ApprovalRequest, Role } from '../wire/wire';
import { ApprovalCard } from './ApprovalCard';
import { armDelay } from '../answer/arming';
import { Composer } from '../session/Composer';

const request = golden('approvalRequest', 'approvalRequest').data;
const welcome = golden('welcome', 'welcome');

let store: Store;
let commands: { [K in keyof Commands]: ReturnType<typeof vi.fn<Commands[K]>> };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(welcome.data.serverTime) });
  commands = {
    answer: vi.fn(),
    takeBack: vi.fn(),
    say: vi.fn(),
    tell: vi.fn(() => Promise.resolve({ taken: true })),
    discard: vi.fn(),
    cancel: vi.fn(),
    finishTool: vi.fn(),
    look: vi.fn(),
  };
});

function show(over: Partial<ApprovalRequest> = {}, roles: Role[] = ['admin'], place = 'here') {
  store = createStore();
  const frame = { ...welcome, data: { ...welcome.data, identity: { subject: 'ada', roles } } };
  store.dispatch({ type: 'frame', frame, now: Date.now() });
  store.dispatch({ type: 'connection', connection: { phase: 'online', attempts: 0 } });
  const card = { ...request, ...over };
  store.dispatch({ type: 'frame', frame: { event: 'approvalRequest', data: card }, now: Date.now() });
  const page = (where: string) => (
    <MantineProvider>
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <ApprovalCard request={card} place={where} />
          <Composer onSend={(text) => commands.say('s', text)} />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>
  );
  const { rerender } = render(page(place));
  return { move: (where: string) => rerender(page(where)) };
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const approve = () => button('Approve once');
const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const box = () => screen.getByLabelText('Message to the agent');

describe('answering', () => {
  it('sends what was decided, for which arguments', () => {
    show();
    wait(armDelay);
    fireEvent.click(approve());
    expect(commands.answer).toHaveBeenCalledExactlyOnceWith({
      approvalId: request.approvalId,
      sessionId: request.sessionId,
      argsDigest: request.argsDigest,
      status: 'approved',
      scope: 'once',
    });
  });

  it('offers a wider scope only where the request does', () => {
    show({ scopes: ['once'] });
    expect(screen.queryByRole('button', { name: /for this session/ })).toBeNull();
    expect(screen.queryByTestId('choice')).toBeNull();
  });

  it('offers to change arguments only where that is taken', () => {
    show();
    expect(screen.getByRole('button', { name: /Change arguments/ })).toBeTruthy();
    cleanup();
    show({ editable: false });
    expect(screen.queryByRole('button', { name: /Change arguments/ })).toBeNull();
  });

  it('denies with the reason that was typed', () => {
    show();
    wait(armDelay);
    fireEvent.click(button('Add reason…'));
    fireEvent.change(screen.getByLabelText(/Reason for denying/), { target: { value: ' not on a Friday ' } });
    fireEvent.click(button('Deny'));
    expect(commands.answer).toHaveBeenCalledWith(
      expect.objectContaining({
        status: 'denied',
        message: 'not on a Friday',
        argsDigest: request.argsDigest,
      }),
    );
  });

  it('is off for who may only watch', () => {
    show({}, ['viewer']);
    expect(screen.queryByRole('button', { name: 'Approve once' })).toBeNull();
  });

  it('is off while the answer is on its way, and says so', () => {
    show();
    const { approvalId, sessionId, argsDigest } = request;
    act(() =>
      store.dispatch({
        type: 'answering',
        at: 0,
        data: { approvalId, sessionId, argsDigest, status: 'approved' },
      }),
    );
    expect(approve().disabled).toBe(true);
    expect(screen.getByText('Sending your answer…')).toBeDefined();
  });

  it('is off without a connection, and comes back with it', () => {
    show();
    act(() => store.dispatch({ type: 'connection', connection: { phase: 'offline', attempts: 1 } }));
    expect(approve().disabled).toBe(true);
    expect(button('Deny').disabled).toBe(true);
    act(() => store.dispatch({ type: 'connection', connection: { phase: 'online', attempts: 0 } }));
    expect(approve().disabled).toBe(false);
  });

  it('is off when the time is up', () => {
    show();
    wait(60_000);
    expect(approve().disabled).toBe(true);
    expect(screen.getByText('Time is up')).toBeDefined();
  });

  it('tells on the card why an answer was not taken', () => {
    show();
    const { approvalId, sessionId, argsDigest } = request;
    act(() => {
      store.dispatch({
        type: 'answering',
        at: 0,
        data: { approvalId, sessionId, argsDigest, status: 'approved' },
      });
      store.dispatch({ type: 'answerRefused', approvalId, code: 'unavailable', message: 'Try again.' });
    });
    expect(screen.getByRole('alert').textContent).toContain('Try again.');
    expect(approve().disabled).toBe(false);
  });
});

describe('approving for the session', () => {
  const open = () => fireEvent.click(button('Approve for this session…'));
  const confirm = () => button('Approve and remember this');
  const given = () => commands.answer.mock.calls.map(([data]) => data);
  const summary = () => screen.getByTestId('summary').textContent;
  const { approvalId, sessionId, argsDigest } = request;
  const approved = { approvalId, sessionId, argsDigest, status: 'approved', scope: 'session' };

  it('opens a choice and sends nothing', () => {
    show();
    wait(armDelay);
    open();
    expect(screen.getByTestId('choice')).toBeDefined();
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('offers what the request does, in its order, with the narrowest chosen', () => {
    show();
    open();
    const options = screen.getAllByRole<HTMLInputElement>('radio');
    expect(options.map((o) => [o.value, o.checked])).toEqual([
      ['exact', true],
      ['command', false],
      ['tool', false],
    ]);
    expect(screen.getByLabelText('Patterns').textContent).toBe('uname *');
    expect(summary()).toContain('exactly this call, until this session ends.');
  });

  it('sends the narrowest when nothing else was chosen', () => {
    show();
    open();
    wait(armDelay);
    fireEvent.click(confirm());
    expect(given()).toEqual([{ ...approved, grant: { covers: 'exact' } }]);
  });

  it('sends exactly what is shown', () => {
    show();
    open();
    fireEvent.click(screen.getByRole('radio', { name: 'commands like: uname *' }));
    fireEvent.click(button('Limit time or calls'));
    fireEvent.change(screen.getByLabelText('Time limit'), { target: { value: '3600' } });
    fireEvent.change(screen.getByLabelText('Number of calls'), { target: { value: '5' } });
    expect(summary()).toContain('demo can use shell');
    expect(summary()).toContain('commands like: uname *, for 1 hour');
    expect(summary()).toContain('at most 5 more calls.');
    wait(armDelay);
    fireEvent.click(confirm());
    expect(given()).toEqual([{ ...approved, grant: { covers: 'command', seconds: 3600, uses: 5 } }]);
  });

  it('warns of what covers every call', () => {
    show();
    open();
    expect(screen.getByText(/With any arguments/)).toBeDefined();
  });

  it('a second click at once, on what has just opened, is ignored', () => {
    show();
    wait(armDelay);
    open();
    fireEvent.click(confirm());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('a click just after another coverage was chosen is ignored', () => {
    show();
    open();
    wait(armDelay);
    fireEvent.click(screen.getByRole('radio', { name: 'every call of shell' }));
    fireEvent.click(confirm());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('Back closes it and sends nothing', () => {
    show();
    open();
    fireEvent.click(button('Back'));
    expect(screen.queryByTestId('choice')).toBeNull();
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('shows hidden characters of a pattern', () => {
    show({ covers: [{ kind: 'command', text: 'commands', command: ['rm \u202e*'] }] });
    open();
    expect(screen.getByLabelText('Patterns').textContent).toBe('rm ⟨U+202E⟩*');
  });

  it('can be remembered to the letter where a request names nothing', () => {
    show({ covers: undefined });
    open();
    wait(armDelay);
    fireEvent.click(confirm());
    expect(given()).toEqual([{ ...approved, grant: { covers: 'exact' } }]);
  });

  it('Approve once still remembers nothing while the choice is open', () => {
    show();
    open();
    wait(armDelay);
    fireEvent.click(approve());
    expect(given()).toEqual([{ ...approved, scope: 'once' }]);
  });

  it('is off once the answer is on its way', () => {
    show();
    open();
    wait(armDelay);
    act(() => store.dispatch({ type: 'answering', at: 0, data: { ...request, status: 'approved' } }));
    expect(confirm().disabled).toBe(true);
  });
});

describe('what is not meant as an answer', () => {
  it('Enter in the message box sends the message and approves nothing', () => {
    show();
    wait(armDelay);
    fireEvent.change(box(), { target: { value: 'yes' } });
    fireEvent.keyDown(box(), { key: 'Enter' });
    expect(commands.say).toHaveBeenCalledExactlyOnceWith('s', 'yes');
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('Shift+Enter, and Enter while an input method composes, send nothing', () => {
    show();
    fireEvent.change(box(), { target: { value: 'yes' } });
    fireEvent.keyDown(box(), { key: 'Enter', shiftKey: true });
    fireEvent.keyDown(box(), { key: 'Enter', isComposing: true });
    fireEvent.keyDown(box(), { key: 'Enter', keyCode: 229 }); // as WebKit ends a word
    expect(commands.say).not.toHaveBeenCalled();
  });

  it('nothing has the focus when a card appears', () => {
    show();
    expect(document.activeElement).toBe(document.body);
  });

  it('a click before the card has stood for a moment is ignored', () => {
    show();
    wait(armDelay - 1);
    fireEvent.click(approve());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('a press that began too early is ignored, also when it ends in time', () => {
    show();
    fireEvent.pointerDown(approve());
    wait(armDelay);
    fireEvent.click(approve());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('a click just after the card was moved is ignored', () => {
    const { move } = show();
    wait(armDelay);
    move('there');
    fireEvent.click(approve());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('the click that brings the window to the front is ignored', () => {
    show();
    wait(armDelay);
    fireEvent.focus(window);
    fireEvent.click(approve());
    expect(commands.answer).not.toHaveBeenCalled();
  });

  it('a key held down from elsewhere does not press the button', () => {
    show();
    wait(armDelay);
    expect(fireEvent.keyDown(approve(), { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyDown(approve(), { key: ' ', repeat: true })).toBe(false);
    expect(fireEvent.keyUp(approve(), { key: ' ' })).toBe(false);
  });

  it('a key pressed on the button does', () => {
    show();
    wait(armDelay);
    expect(fireEvent.keyDown(approve(), { key: ' ' })).toBe(true);
    expect(fireEvent.keyUp(approve(), { key: ' ' })).toBe(true);
  });
});

describe('what is shown', () => {
  it('long arguments have to be opened before they can be approved, and can be denied at once', () => {
    const command = Array.from({ length: 200 }, (_, i) => `echo ${i}`).join('\n');
    show({ args: { command } });
    wait(armDelay);
    expect(approve().disabled).toBe(true);
    expect(button('Deny').disabled).toBe(false);
    expect(screen.getByText(/200 lines, .* Only the beginning/)).toBeDefined();
    fireEvent.click(button('Show everything'));
    expect(screen.getByLabelText('command').textContent).toBe(command);
    wait(armDelay);
    fireEvent.click(approve());
    expect(commands.answer).toHaveBeenCalledOnce();
  });

  it('a command stands as it is and as JSON, with what is not what it looks like named', () => {
    show({
      args: { command: 'echo a\u202eb' },
      misleading: ['invisible U+202E (1×)', 'раypal (U+0440 …)'],
    });
    expect(screen.getByLabelText('command').textContent).toBe('echo a⟨U+202E⟩b');
    expect(screen.queryByLabelText('Arguments')).toBeNull();
    const json = screen.getByText('As JSON').closest('details')!;
    act(() => {
      json.open = true;
      fireEvent(json, new Event('toggle'));
    });
    expect(screen.getByLabelText('Arguments').textContent).toBe('{\n  "command": "echo a⟨U+202E⟩b"\n}');
    expect(screen.getByTestId('card').textContent).toContain(
      'Misleading characters: invisible U+202E (1×), раypal (U+0440 …).',
    );
  });

  it('says which agent, tool, folder and rule', () => {
    show();
    const text = screen.getByTestId('card').textContent;
    for (const word of ['demo', 'shell', '/srv/demo', 'This tool always needs approval'])
      expect(text).toContain(word);
    expect(screen.getByTestId('countdown').textContent).toContain('0:58');
  });

  it('says how risky it is in words, and why', () => {
    show({ risk: { level: 'critical', reasons: ['deletes', 'changes privileges'] } });
    const text = screen.getByTestId('risk').textContent;
    for (const words of ['Critical risk', 'Deletes, changes privileges']) expect(text).toContain(words);
  });

  it('says how it was decided to ask, on demand', () => {
    show({ policy: { rule: 'nobody watches at night', trace: ['no deny rule', 'an ask rule'] } });
    expect(screen.queryByText('an ask rule')).toBeNull();
    fireEvent.click(button('Details'));
    expect(screen.getByText('an ask rule')).toBeDefined();
  });

  it('says when a request waits without limit', () => {
    const { expiresAt: _none, ...rest } = request;
    show({ ...rest, expiresAt: undefined });
    expect(screen.getByText('No time limit')).toBeDefined();
  });
});
