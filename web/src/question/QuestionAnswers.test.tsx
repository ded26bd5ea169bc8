import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { armDelay } from '../answer/arming';
import { golden } from '../test/golden';
import { cardPage, commandsOf, type SpiedCommands } from '../test/card';
import type { ApprovalRequest, Role } from '../wire/wire';
import type { Store } from '../store/store';

const golden1 = golden('approvalRequest', 'approvalRequest').data;
const schema = {
  type: 'object',
  properties: {
    port: { type: 'integer', title: 'Port', description: 'where it listens', minimum: 1024 },
    notes: { type: 'string', title: 'Notes' },
    sure: { type: 'boolean', title: 'Are you sure?' },
    where: { type: 'string', title: 'Where', enum: ['staging', 'production'] },
    share: { type: 'number', title: 'Share', default: 0.5 },
  },
  required: ['port'],
};
const question: ApprovalRequest = {
  ...golden1,
  type: 'elicitation',
  toolName: 'ask_user',
  toolCallId: `${golden1.toolCallId}/question`,
  args: undefined,
  message: 'Which port?',
  scopes: [],
  covers: [],
  risk: {},
  schema,
};
const { approvalId, sessionId, argsDigest } = question;
const ids = { approvalId, sessionId, argsDigest };

let commands: SpiedCommands;
let store: Store;

beforeEach(() => {
  vi.useFakeTimers();
  commands = commandsOf();
});

function show(over: Partial<ApprovalRequest> = {}, roles: Role[] = ['admin']) {
  const shown = cardPage({ ...question, expiresAt: undefined, ...over }, commands, roles);
  store = shown.store;
  wait(armDelay);
  return shown;
}

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const input = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name });
const type = (name: RegExp, value: string) => fireEvent.change(input(name), { target: { value } });
const pick = (group: RegExp, name: string) =>
  fireEvent.click(within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name }));
const answers = () => commands.answer.mock.calls.map(([data]) => data);
const refuse = (code: string, message: string) =>
  act(() => {
    const formData = { port: 80, share: 0.5 };
    store.dispatch(
      { type: 'answering', at: 0, data: { ...ids, status: 'approved', formData } },
      { type: 'answerRefused', approvalId, code, message },
    );
  });

describe('a question', () => {
  it('can leave no field open that would be filled in', () => {
    const wipe = { type: 'boolean', title: 'Wipe the disk too', default: true };
    show({ schema: { type: 'object', properties: { wipe, sure: { type: 'boolean', title: 'Sure' } } } });
    const radios = (name: RegExp) =>
      within(screen.getByRole('radiogroup', { name })).getAllByRole('radio').length;
    expect([radios(/Wipe/), radios(/Sure/)]).toEqual([2, 3]);
    fireEvent.click(button('Send answer'));
    expect(answers()).toEqual([{ ...ids, status: 'approved', formData: { wipe: true } }]);
  });

  it('says at a field that it has not the format', () => {
    show({
      schema: { type: 'object', properties: { to: { type: 'string', title: 'To', format: 'email' } } },
    });
    type(/To/, 'nonsense');
    fireEvent.click(button('Send answer'));
    expect(screen.getByText('Enter an email address.')).toBeDefined();
    expect(answers()).toEqual([]);
  });

  it('is answered by its form, each field with a name, a note and its own kind', () => {
    show();
    expect(screen.getByText('Which port?')).toBeDefined();
    expect(screen.getByText('where it listens')).toBeDefined();
    expect(input(/Share/).value).toBe('0.5');
    type(/Port/, '8080');
    type(/Notes/, 'two\nlines');
    pick(/sure/, 'No');
    pick(/Where/, 'production');
    fireEvent.click(button('Send answer'));
    const formData = { port: 8080, notes: 'two\nlines', sure: false, where: 'production', share: 0.5 };
    expect(answers()).toEqual([{ ...ids, status: 'approved', formData }]);
  });

  it('offers nothing that would let a call run', () => {
    show();
    expect(screen.queryByRole('button', { name: /Approve|Deny|rule/ })).toBeNull();
  });

  it('is not sent with something required left open, and says which', () => {
    show();
    fireEvent.click(button('Send answer'));
    expect(answers()).toEqual([]);
    expect(input(/Port/).getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('This needs an answer.')).toBeDefined();
    expect(screen.getByRole('alert').textContent).toContain('marked fields');
    type(/Port/, '8080');
    expect(screen.queryByRole('alert')).toBeNull();
    wait(armDelay);
    fireEvent.click(button('Send answer'));
    expect(answers()).toHaveLength(1);
  });

  it('that was filled in wrongly keeps what was typed, and shows at the field what the gateway says', () => {
    show();
    type(/Port/, '80');
    type(/reason/i, 'no time');
    refuse('invalid', 'invalid answer: formData: port: minimum: got 80, want 1024');
    expect(input(/Port/).value).toBe('80');
    expect(input(/Port/).getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('minimum: got 80, want 1024')).toBeDefined();
    expect(input(/reason/i).value).toBe('no time');
    type(/Port/, '8080');
    expect(input(/Port/).getAttribute('aria-invalid')).toBeNull();
    wait(armDelay);
    fireEvent.click(button('Send answer'));
    expect(answers()).toMatchObject([{ formData: { port: 8080 } }]);
  });

  it('shows what the gateway says of no field in particular', () => {
    show();
    refuse('invalid', 'invalid answer: formData: too odd');
    expect(screen.getByRole('alert').textContent).toContain('too odd');
  });

  it('is declined with a reason, or dismissed without a word', () => {
    show();
    type(/reason/i, ' ask ops ');
    fireEvent.click(button('Decline'));
    fireEvent.click(button('Dismiss'));
    expect(answers()).toEqual([
      { ...ids, status: 'denied', message: 'ask ops' },
      { ...ids, status: 'cancelled' },
    ]);
  });

  it('is not sent by Enter, nor by what has the focus at first', () => {
    show();
    expect(document.activeElement).toBe(document.body);
    type(/Port/, '8080');
    for (const field of [input(/Port/), input(/Notes/), input(/reason/i)]) {
      fireEvent.keyDown(field, { key: 'Enter' });
      fireEvent.keyPress(field, { key: 'Enter', charCode: 13 });
    }
    fireEvent.keyDown(input(/reason/i), { key: 'Enter', ctrlKey: true });
    fireEvent.keyDown(input(/Port/), { key: 'Enter', ctrlKey: true, repeat: true });
    fireEvent.keyDown(input(/Port/), { key: 'Enter', ctrlKey: true, isComposing: true });
    fireEvent.keyDown(input(/Port/), { key: 'Enter', ctrlKey: true, keyCode: 229 });
    expect(answers()).toEqual([]);
    fireEvent.keyDown(input(/Port/), { key: 'Enter', ctrlKey: true });
    expect(answers()).toHaveLength(1);
  });

  it('keeps its draft through frames, another place on the screen and another page', () => {
    const { move, leave } = show();
    type(/Port/, '80');
    pick(/sure/, 'Yes');
    act(() =>
      store.dispatch({
        type: 'frame',
        frame: { event: 'snapshot', data: { pending: [question], sessions: [], more: false } },
        now: 0,
      }),
    );
    move('elsewhere');
    expect(input(/Port/).value).toBe('80');
    const again = leave();
    again();
    expect(input(/Port/).value).toBe('80');
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Yes' }).checked).toBe(true);
  });

  it('forgets its draft once it is settled', () => {
    show();
    type(/Port/, '80');
    act(() =>
      store.dispatch({
        type: 'frame',
        frame: { event: 'approvalResponse', data: { ...ids, status: 'cancelled', rev: 9 } },
        now: 0,
      }),
    );
    expect(store.get().drafts).toEqual({});
  });

  it('that fields would not do for is answered as JSON', () => {
    show({ schema: { type: 'object', properties: { ports: { type: 'array' } } } });
    type(/JSON/, '{"ports":');
    fireEvent.click(button('Send answer'));
    expect(answers()).toEqual([]);
    type(/JSON/, '{"ports": [1, 2]}');
    wait(armDelay);
    fireEvent.click(button('Send answer'));
    expect(answers()).toMatchObject([{ formData: { ports: [1, 2] } }]);
  });

  it('without a form is accepted, without data', () => {
    show({ schema: undefined });
    fireEvent.click(button('Accept'));
    expect(answers()).toEqual([{ ...ids, status: 'approved' }]);
  });

  it('shows the hidden characters of its words, its choices and what stands in its fields', () => {
    show({
      schema: {
        type: 'object',
        properties: {
          a: { type: 'string', title: 'A\u202Eb', default: 'safe\u200B' },
          c: { enum: ['x\u2066', 'y'] },
        },
      },
    });
    expect(screen.getByText(/With its hidden characters/).textContent).toContain('safe⟨U+200B⟩');
    expect(screen.getByRole('textbox', { name: /⟨U\+202E⟩/ })).toBeDefined();
    expect(screen.getByRole('radio', { name: /⟨U\+2066⟩/ })).toBeDefined();
  });

  it('of a program with arguments of its own shows these too', () => {
    show({ type: 'custom', toolName: 'deploy', args: { to: 'staging' } });
    expect(screen.getByLabelText('to').textContent).toBe('staging');
    expect(button('Send answer')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Approve once' })).toBeNull();
  });

  it('can’t be answered by who may only watch', () => {
    show({}, ['viewer']);
    expect(screen.queryByRole('button', { name: 'Send answer' })).toBeNull();
    expect(screen.getByText('Your role can view requests, but not answer them.')).toBeDefined();
  });
});
