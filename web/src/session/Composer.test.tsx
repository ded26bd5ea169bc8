import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { saveUnsentText } from '../browser/unsentText';
import type { Told } from '../connection/connection';
import { page, storeOf } from '../test/page';
import { Composer } from './Composer';

const box = () => screen.getByLabelText<HTMLTextAreaElement>('Message to the agent');
const note = () => screen.queryByTestId('said-note')?.textContent;

let answer: (told: Told) => void;
let sent: string[];

beforeEach(() => {
  saveUnsentText('s', '');
  sent = [];
  const onSend = (text: string) => {
    sent.push(text);
    return new Promise<Told>((done) => (answer = done));
  };
  page(storeOf(), <Composer draftKey="s" onSend={onSend} />);
});

function say(text: string) {
  fireEvent.change(box(), { target: { value: text } });
  fireEvent.keyDown(box(), { key: 'Enter' });
}

const comes = (told: Told) => act(async () => Promise.resolve(answer(told)));

it('words that decided nothing stay in the box, with why', async () => {
  say('approve');
  expect(box().value).toBe('approve');
  fireEvent.keyDown(box(), { key: 'Enter' }); // before it is known what became of them
  expect(sent).toEqual(['approve']);
  await comes({ taken: false, note: 'Several requests wait.\n01a2  shell\u202e' });
  expect(box().value).toBe('approve');
  expect(note()).toBe(
    'Nothing was answered, and nothing was sent to the agent. Several requests wait.\n01a2  shell⟨U+202E⟩',
  );
  fireEvent.change(box(), { target: { value: 'approve 01a2' } });
  expect(note()).toBeUndefined();
});

it('words that answered go from the box, and what came of them is told', async () => {
  say('approve');
  await comes({ taken: true, note: 'approved: shell' });
  expect(box().value).toBe('');
  expect(note()).toBe('Your message was used as an answer: approved: shell');
});

it('what was meant for the agent goes without a word', async () => {
  say('use the other file');
  await comes({ taken: true });
  expect(box().value).toBe('');
  expect(note()).toBeUndefined();
});

it('what was typed meanwhile stays', async () => {
  say('approve');
  fireEvent.change(box(), { target: { value: 'and another thing' } });
  await comes({ taken: true, note: 'approved: shell' });
  expect(box().value).toBe('and another thing');
});
