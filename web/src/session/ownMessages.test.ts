import { expect, it } from 'vitest';
import type { OutMessage } from '../store/state';
import type { SessionEvent } from '../wire/wire';
import { ownMessages } from './ownMessages';

const said = (seq: number, text: string, by = 'ada'): SessionEvent => ({
  session: 's',
  seq,
  type: 'message.user',
  at: '2026-11-27T12:00:00Z',
  data: { text, by },
});
const leaving = (text: string): OutMessage => ({ key: text, text, seen: 0, phase: 'sending' });
const events = [said(1, 'first'), said(2, 'of another', 'ben'), said(3, 'second'), said(4, 'second')];

it('is what this person has said, newest first, a repetition once', () => {
  expect(ownMessages({ events, outbox: [] }, 'ada')).toEqual(['second', 'first']);
});

it('has what is on its way, and the same once it has arrived', () => {
  const on = ownMessages({ events, outbox: [leaving('third')] }, 'ada');
  expect(on).toEqual(['third', 'second', 'first']);
  const both = ownMessages({ events: [...events, said(5, 'third')], outbox: [leaving('third')] }, 'ada');
  expect(both).toEqual(on);
  expect(ownMessages({ events: [...events, said(5, 'third')], outbox: [] }, 'ada')).toEqual(on);
});
