import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { confirmationFor } from '../request/risk';
import { cardPage, commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import { armDelay } from '../answer/arming';
import { holdFor } from '../answer/useHold';

const request: ApprovalRequest = {
  ...golden('approvalRequest', 'approvalRequest').data,
  expiresAt: undefined,
};
const risk = (level: RiskLevel) => ({ ...request, risk: { level } });

let commands: SpiedCommands;
beforeEach(() => {
  vi.useFakeTimers();
  commands = commandsOf();
});

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const approve = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Approve once/ });
const answered = () => commands.answer.mock.calls.map(([data]) => data.status);

function show(of: ApprovalRequest) {
  const shown = cardPage(of, commands);
  wait(armDelay);
  return shown;
}

describe('what is of high risk', () => {
  it('is approved by holding the pointer on it', () => {
    show(risk('high'));
    fireEvent.pointerDown(approve(), { button: 0 });
    wait(holdFor - 1);
    expect(answered()).toEqual([]);
    wait(1);
    expect(answered()).toEqual(['approved']);
    fireEvent.pointerUp(approve());
    fireEvent.click(approve());
    expect(answered()).toEqual(['approved']);
  });

  it('is also what nothing is said of; a question is answered by a press', () => {
    show({ ...request, risk: undefined });
    expect(approve().dataset['hold']).toBeDefined();
    expect(confirmationFor({ type: 'elicitation' })).toBe('press');
  });

  it.each([' ', 'Enter'])('is approved by holding the key %j, and not by its repeats alone', (key) => {
    show(risk('high'));
    fireEvent.keyDown(approve(), { key, repeat: true });
    wait(holdFor);
    expect(answered()).toEqual([]);
    fireEvent.keyDown(approve(), { key });
    fireEvent.keyDown(approve(), { key, repeat: true });
    wait(holdFor);
    expect(answered()).toEqual(['approved']);
  });

  it.each(['pointerUp', 'pointerLeave', 'pointerCancel', 'blur'] as const)(
    'is not approved after %s',
    (end) => {
      show(risk('high'));
      fireEvent.pointerDown(approve(), { button: 0 });
      wait(holdFor - 1);
      fireEvent[end](approve());
      wait(holdFor);
      expect(answered()).toEqual([]);
    },
  );

  it('is not approved by a key that was let go, nor by clicks', () => {
    show(risk('high'));
    fireEvent.keyDown(approve(), { key: ' ' });
    fireEvent.keyUp(approve(), { key: ' ' });
    for (let i = 0; i < 3; i++) {
      fireEvent.pointerDown(approve(), { button: 0 });
      fireEvent.pointerUp(approve());
      fireEvent.click(approve());
    }
    wait(holdFor);
    expect(answered()).toEqual([]);
  });

  it('a hold that began too early, or during which the card moved, counts for nothing', () => {
    const { move } = cardPage(risk('high'), commands);
    fireEvent.pointerDown(approve(), { button: 0 });
    wait(armDelay + holdFor);
    expect(answered()).toEqual([]);
    fireEvent.pointerUp(approve());
    fireEvent.pointerDown(approve(), { button: 0 });
    wait(holdFor / 2);
    act(() => move('there'));
    wait(armDelay + holdFor);
    expect(answered()).toEqual([]);
  });

  it('is approved by typing if assistive software can only click', () => {
    show(risk('high'));
    fireEvent.click(approve());
    expect(answered()).toEqual([]);
    fireEvent.change(screen.getByLabelText(/To approve, type/), { target: { value: 'uname -a' } });
    wait(armDelay);
    fireEvent.click(approve());
    expect(answered()).toEqual(['approved']);
  });

  it('is denied by a press', () => {
    show(risk('high'));
    fireEvent.click(screen.getByRole('button', { name: 'Deny' }));
    expect(answered()).toEqual(['denied']);
  });
});

describe('what is critical, or of a risk that this page does not know', () => {
  it.each(['critical', 'catastrophic' as RiskLevel] as const)(
    '%s: something specific to the call must be typed first',
    (level) => {
      show(risk(level));
      expect(approve().disabled).toBe(true);
      const name = screen.getByLabelText(/To approve, type/);
      fireEvent.change(name, { target: { value: 'uname' } });
      expect(approve().disabled).toBe(true);
      fireEvent.change(name, { target: { value: 'uname -a' } });
      fireEvent.keyDown(name, { key: 'Enter' });
      fireEvent.click(approve()); // too early: it has only just become a button
      expect(answered()).toEqual([]);
      wait(armDelay);
      fireEvent.click(approve());
      expect(answered()).toEqual(['approved']);
    },
  );

  it('also before it is remembered for the session', () => {
    show(risk('critical'));
    fireEvent.click(screen.getByRole('button', { name: /for this session/ }));
    const remember = screen.getByRole<HTMLButtonElement>('button', { name: 'Approve and remember this' });
    expect(remember.disabled).toBe(true);
  });
});

describe('what the layout moves', () => {
  function placed() {
    let top = 100;
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return {
        left: 0,
        top: this.contains(screen.queryByRole('button', { name: /^Approve once/ })) ? top : 0,
      } as DOMRect;
    });
    return (to: number) => (top = to);
  }

  it('is not approved by a press at once, before anything has noticed', () => {
    show(request);
    const put = placed();
    wait(armDelay + 200); // it is known where it stands
    put(160);
    fireEvent.pointerDown(approve());
    fireEvent.click(approve());
    expect(answered()).toEqual([]);
  });

  it('is not approved for a moment after, and then it is', () => {
    show(request);
    const put = placed();
    wait(armDelay + 200);
    put(160);
    wait(100);
    fireEvent.click(approve());
    expect(answered()).toEqual([]);
    wait(armDelay);
    fireEvent.click(approve());
    expect(answered()).toEqual(['approved']);
  });

  afterEach(() => void Reflect.deleteProperty(document, 'scrollingElement'));

  // Its place in what scrolls stays the same; only the screen's changes.
  function scrolling() {
    const put = placed();
    const scroller = document.createElement('div');
    Object.defineProperty(document, 'scrollingElement', { value: scroller, configurable: true });
    show(request);
    wait(armDelay + 200);
    return (by: number) => {
      scroller.scrollTop += by;
      put(100 - scroller.scrollTop);
    };
  }
  const armed = () => approve().dataset['armed'] !== undefined;

  it('is disarmed also when the page scrolls by itself', () => {
    const scroll = scrolling();
    scroll(80);
    fireEvent.pointerDown(approve());
    fireEvent.click(approve());
    expect(answered()).toEqual([]);
    wait(100);
    expect(armed()).toBe(false);
    wait(armDelay);
    expect(armed()).toBe(true);
  });

  it.each<[string, () => void]>([
    ['the wheel', () => fireEvent.wheel(document.body)],
    ['a finger', () => fireEvent.touchMove(document.body)],
    ['a key', () => fireEvent.keyDown(document.body, { key: 'PageDown' })],
  ])('is not when the person scrolls by %s, however long', (_, scrolls) => {
    const scroll = scrolling();
    for (let i = 0; i < 20; i++) {
      scrolls();
      scroll(80);
      wait(100);
      expect(armed()).toBe(true);
    }
    wait(600); // the hand has stopped
    scroll(80);
    wait(100);
    expect(armed()).toBe(false);
  });

  it('is disarmed when a key in a field moves the page', () => {
    const scroll = scrolling();
    fireEvent.click(screen.getByRole('button', { name: 'Add reason…' }));
    wait(armDelay + 200);
    fireEvent.keyDown(screen.getByLabelText(/Reason for denying/), { key: 'ArrowDown' });
    scroll(80);
    wait(100);
    expect(armed()).toBe(false);
  });
});

describe('what has not been read', () => {
  it('must be read to its end before approval, but can be denied at once', () => {
    let end = 900;
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return { left: 0, top: this.matches('[data-testid="answer-bar"]') ? 600 : end } as DOMRect;
    });
    show({ ...request });
    wait(armDelay);
    expect(screen.queryByRole('button', { name: /^Approve once/ })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /for this session/ }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Deny' }).disabled).toBe(false);
    end = 610;
    fireEvent.scroll(window);
    fireEvent.click(approve()); // too early: it has only just become a button
    expect(answered()).toEqual([]);
    wait(armDelay);
    end = 900; // already read
    fireEvent.scroll(window);
    fireEvent.click(approve());
    expect(answered()).toEqual(['approved']);
  });
});

describe('on the card', () => {
  it('who else looks is told, and not oneself', () => {
    const { store } = show(request);
    const looks = (viewers: string[]) =>
      act(() =>
        store.dispatch({
          type: 'frame',
          frame: { event: 'presence', data: { approvalId: request.approvalId, viewers } },
          now: 0,
        }),
      );
    looks(['ada']);
    expect(screen.getByTestId('viewers').textContent).toBe('');
    looks(golden('presence', 'presence').data.viewers);
    expect(screen.getByTestId('viewers').textContent).toBe('bob is also viewing this');
    looks([]);
    expect(screen.getByTestId('viewers').textContent).toBe('');
  });

  it('words that are often needed are filled in and not sent, and they stay with the request', () => {
    const { leave } = show(request);
    fireEvent.click(screen.getByRole('button', { name: 'Add reason…' }));
    fireEvent.click(screen.getByRole('button', { name: 'Wrong place' }));
    expect(commands.answer).not.toHaveBeenCalled();
    leave()();
    expect(screen.getByLabelText<HTMLInputElement>(/Reason for denying/).value).toBe('Wrong place');
    wait(armDelay);
    fireEvent.click(screen.getByRole('button', { name: 'Deny' }));
    expect(commands.answer.mock.calls[0]![0].message).toBe('Wrong place');
  });

  it('the parts of a command are told with what each does', () => {
    show({
      ...request,
      args: { command: 'ls | sh' },
      commands: [
        { text: 'ls', risk: 'low', does: ['lists files'] },
        { text: 'sh\u202e', risk: 'critical', does: ['runs what comes on its input'] },
      ],
    });
    const told = within(screen.getByTestId('effects'));
    expect(told.getAllByRole('listitem').map((li) => li.textContent)).toEqual([
      'Lists files.',
      'Runs what comes on its input.sh⟨U+202E⟩', // the line spells it differently
      'Runs a command.', // about the whole line
    ]);
    const line = screen.getByLabelText('command');
    expect(line.textContent).toBe('ls | sh');
    expect([...line.querySelectorAll('[data-n]')].map((mark) => mark.textContent)).toEqual(['ls']);
  });

  it('members are a tree, which tells their kinds, and a text on demand', () => {
    show({ ...request, toolName: 'deploy', args: { to: 'x', n: 2, deep: { list: [true, null] } } });
    const tree = () => screen.queryByTestId('tree');
    expect(tree()!.textContent).toBe('to"x"stringn2numberdeep1 propertylist2 items0trueboolean1nullnull');
    fireEvent.click(screen.getByRole('button', { name: 'Text' }));
    expect(tree()).toBeNull();
    expect(screen.getByLabelText('Arguments').textContent).toContain('"list": [');
  });
});
