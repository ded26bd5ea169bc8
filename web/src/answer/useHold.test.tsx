import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { cardPage, commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import { armDelay } from './arming';
import { holdFor, holdSlack } from './useHold';

const request = {
  ...golden('approvalRequest', 'approvalRequest').data,
  expiresAt: undefined,
  risk: { level: 'high' as const },
};

let commands: SpiedCommands;
beforeEach(() => {
  vi.useFakeTimers();
  commands = commandsOf();
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(100, 100, 300, 60));
  cardPage(request, commands);
  wait(armDelay);
});

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const approve = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Approve once/ });
const answered = () => commands.answer.mock.calls.map(([data]) => data.status);

const kinds = ['mouse', 'touch', 'pen'] as const;
type Kind = (typeof kinds)[number];

/** A pointer as browsers tell of it: a finger or a pen belongs to what it touched, wherever it goes. */
function hand(pointerType: Kind, pointerId = 7, isPrimary = true) {
  const at = (x: number, y: number) => ({
    pointerType,
    pointerId,
    isPrimary,
    clientX: x,
    clientY: y,
    button: 0,
    bubbles: true,
  });
  return {
    down: (on: Element = approve(), x = 200, y = 130) => fireEvent.pointerDown(on, at(x, y)),
    move: (x: number, y: number) => {
      const inside = x >= 100 && x <= 400 && y >= 100 && y <= 160;
      if (pointerType !== 'mouse' || inside) return fireEvent.pointerMove(approve(), at(x, y));
      fireEvent.pointerLeave(approve(), at(x, y));
      return fireEvent.pointerMove(document.body, at(x, y));
    },
    up: (on: Element = approve()) => fireEvent.pointerUp(on, at(200, 130)),
    cancel: () => fireEvent.pointerCancel(approve(), at(200, 130)),
  };
}

const second = () => hand('touch', 8, false);

function hide(hidden: boolean) {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
  fireEvent(document, new Event('visibilitychange'));
}

describe.each(kinds)('held by a %s', (kind) => {
  it('says to hold on when it is let go too soon', () => {
    const own = hand(kind);
    const said = () => screen.queryByText('Press and hold until it is sent');
    own.down();
    expect(said()).toBeNull();
    own.up();
    expect(said()).not.toBeNull();
    own.down();
    expect(said()).toBeNull();
    wait(holdFor);
    expect(said()).toBeNull();
    expect(answered()).toEqual(['approved']);
  });

  it('is approved after the time, also by a hand that trembles, and once', () => {
    const own = hand(kind);
    own.down();
    for (const [x, y] of [
      [203, 131],
      [198, 126],
      [200 + holdSlack, 130],
      [200, 130],
    ] as const) {
      wait(holdFor / 5);
      own.move(x, y);
    }
    wait(holdFor / 5 - 1);
    expect(answered()).toEqual([]);
    expect(approve().dataset['holding']).toBe('true');
    wait(1);
    expect(answered()).toEqual(['approved']);
    own.up();
    wait(holdFor);
    expect(answered()).toEqual(['approved']);
  });

  it.each<[string, (h: ReturnType<typeof hand>) => void]>([
    ['it slides off and rests there', (h) => h.move(200, 380)],
    ['it slides off and comes back', (h) => (h.move(200, 380), h.move(200, 130))],
    ['it is on the button’s edge, and then off it', (h) => h.move(200, 161)],
    ['it moves within the button, further than it trembles', (h) => h.move(200 + holdSlack + 1, 130)],
    ['it creeps', (h) => [204, 208, 212].forEach((x) => h.move(x, 130))],
    ['it is lifted', (h) => h.up()],
    ['it is lifted elsewhere', (h) => h.up(document.body)],
    ['the browser takes it, to scroll', (h) => h.cancel()],
    ['a second finger comes down on the button', () => second().down()],
    ['a second finger comes down elsewhere', () => second().down(document.body)],
    ['the window is left', () => fireEvent.blur(window)],
    ['the page is hidden', () => hide(true)],
    ['the page is hidden and shown', () => (hide(true), hide(false))],
  ])('is not approved once %s', (_, ends) => {
    const own = hand(kind);
    own.down();
    wait(holdFor - 1);
    ends(own);
    expect(approve().dataset['holding']).toBeUndefined();
    wait(2 * holdFor);
    expect(answered()).toEqual([]);
    own.up();
    own.down(); // a hold of its own, from the beginning
    wait(holdFor - 1);
    expect(answered()).toEqual([]);
    wait(1);
    expect(answered()).toEqual(['approved']);
  });

  it('goes on while another pointer moves', () => {
    hand(kind).down();
    wait(holdFor / 2);
    fireEvent.pointerMove(document.body, { pointerId: 1, clientX: 700, clientY: 700 });
    wait(holdFor / 2);
    expect(answered()).toEqual(['approved']);
  });

  it('a scroll that began on it leaves it to be clicked by a program, which then types', () => {
    const own = hand(kind);
    own.down();
    own.cancel();
    wait(armDelay);
    fireEvent.click(approve());
    expect(screen.getByLabelText(/To approve, type/)).toBeDefined();
    expect(answered()).toEqual([]);
  });
});

describe('held by a key', () => {
  it.each<[string, () => void]>([
    ['the window is left', () => fireEvent.blur(window)],
    ['the page is hidden', () => hide(true)],
    ['the key is lifted', () => fireEvent.keyUp(approve(), { key: ' ' })],
    ['the focus goes elsewhere', () => fireEvent.blur(approve())],
  ])('is not approved once %s', (_, ends) => {
    fireEvent.keyDown(approve(), { key: ' ' });
    wait(holdFor - 1);
    ends();
    wait(2 * holdFor);
    expect(answered()).toEqual([]);
  });

  it('is approved whatever the pointer does beside it', () => {
    fireEvent.keyDown(approve(), { key: ' ' });
    wait(holdFor / 2);
    fireEvent.pointerMove(document.body, { pointerId: 1, clientX: 700, clientY: 700 });
    wait(holdFor / 2);
    expect(answered()).toEqual(['approved']);
  });
});
