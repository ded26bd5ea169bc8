import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DecisionButton } from './DecisionButton';

const kinds = ['mouse', 'touch', 'pen'] as const;

function show(over: { armed?: boolean; disabled?: boolean; still?: () => boolean } = {}) {
  const act = vi.fn();
  const { armed = true, disabled = false, still } = over;
  render(
    <MantineProvider env="test">
      <DecisionButton armed={armed} disabled={disabled} act={act} {...(still && { still })}>
        Deny
      </DecisionButton>
    </MantineProvider>,
  );
  return { act, button: screen.getByRole('button', { name: 'Deny' }) };
}

/** The events of a press. A click follows only if the pointer is released on the button. */
function press(button: HTMLElement, pointerType: string, letGoOn: HTMLElement = button) {
  fireEvent.pointerDown(button, { pointerType, button: 0 });
  fireEvent.pointerUp(letGoOn, { pointerType, button: 0 });
  if (letGoOn === button) fireEvent.click(button);
}

describe.each(kinds)('a button that decides, pressed by %s', (kind) => {
  it('acts once', () => {
    const { act, button } = show();
    press(button, kind);
    expect(act).toHaveBeenCalledOnce();
  });

  it.each([
    ['before it is armed', { armed: false }],
    ['when it has moved', { still: () => false }],
    ['when it is off', { disabled: true }],
  ])('does nothing %s', (_, over) => {
    const { act, button } = show(over);
    press(button, kind);
    expect(act).not.toHaveBeenCalled();
  });

  it('does nothing when the pointer is released elsewhere', () => {
    const { act, button } = show();
    press(button, kind, document.body);
    expect(act).not.toHaveBeenCalled();
  });
});

describe('a button that decides, pressed by a key', () => {
  it.each(['Enter', ' '])('%j acts once, and its repeats don’t', (key) => {
    const { act, button } = show();
    // As browsers do: a keydown clicks unless its default is prevented.
    if (fireEvent.keyDown(button, { key })) fireEvent.click(button);
    if (fireEvent.keyDown(button, { key, repeat: true })) fireEvent.click(button);
    expect(act).toHaveBeenCalledOnce();
  });

  it('that went down elsewhere does nothing', () => {
    const { act, button } = show();
    expect(fireEvent.keyDown(button, { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyUp(button, { key: ' ' })).toBe(false);
    expect(act).not.toHaveBeenCalled();
  });
});

// Answering, setting a mode, halting, lifting, withdrawing and revoking take a deliberate press.
it('everything that sends a decision uses such a button', () => {
  const src = resolve(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (f) => f.endsWith('.tsx') && !f.includes('.test.'),
  );
  const decides =
    /connection\.answer\(|\bsend\(\{ status:|api\.(halt|lift|setMode|cancelWaiting|revokeAccess)\(/;
  const bare = files.filter((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return decides.test(text) && !/DecisionButton|ApproveButton|DangerDialog/.test(text);
  });
  // Exceptions: signing out and revoking take a second press; a notification can only deny.
  expect(bare.sort()).toEqual(['access/Access.tsx', 'alerts/Alerts.tsx']);
});
