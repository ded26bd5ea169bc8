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

/** What a browser sends for a press: the click comes only where the pointer is let go on the button. */
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

  it('does nothing when the pointer is let go elsewhere', () => {
    const { act, button } = show();
    press(button, kind, document.body);
    expect(act).not.toHaveBeenCalled();
  });
});

describe('a button that decides, pressed by a key', () => {
  it.each(['Enter', ' '])('%j acts once, and its repeats do not', (key) => {
    const { act, button } = show();
    // What a browser does of itself: a click for each key that nobody has kept from it.
    if (fireEvent.keyDown(button, { key })) fireEvent.click(button);
    if (fireEvent.keyDown(button, { key, repeat: true })) fireEvent.click(button);
    expect(act).toHaveBeenCalledOnce();
  });

  it('that was held down elsewhere does nothing', () => {
    const { act, button } = show();
    expect(fireEvent.keyDown(button, { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyUp(button, { key: ' ' })).toBe(false);
    expect(act).not.toHaveBeenCalled();
  });
});

// What answers, sets a mode, halts or gives a right is pressed on purpose, so its button is one of these.
it('whatever sends a decision is such a button', () => {
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
  // A notification can only deny; two take back what was allowed; each is confirmed by a second press.
  expect(bare.sort()).toEqual(['access/Access.tsx', 'alerts/Alerts.tsx']);
});
