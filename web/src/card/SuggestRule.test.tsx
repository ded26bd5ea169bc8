import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import type { Suggestion } from '../wire/wire';
import { SuggestRule } from './SuggestRule';

const request = golden('approvalRequest', 'approvalRequest').data;
const path = `GET /api/approvals/${request.approvalId}/suggestions`;
const suggestion = (n: number): Suggestion => ({
  covers: { kind: 'command', text: `form ${n}` },
  sentence: [{ text: 'demo', kind: 'agent' }, { text: ` may use form ${n}.` }],
  rule: `- tool: shell\n  command: ["uname ${n}"]\n`,
  past: 40,
  matched: 7,
  denied: n,
  ...(n > 0 && { unknown: n }),
});

const onAlways = vi.fn();

function show(over: Partial<typeof request> = {}) {
  page(storeOf(), <SuggestRule request={{ ...request, ...over }} onAlways={onAlways} />);
  fireEvent.click(screen.getByRole('button', { name: 'Suggest a rule…' }));
}

describe('a suggested rule', () => {
  it('is shown with what it would have matched and where to put it; at most three are, and all is only read', async () => {
    const asked = gateway({ [path]: { body: { suggestions: [0, 1, 2, 3].map(suggestion) } } });
    show();
    expect((await screen.findByLabelText('Rule 1', { selector: 'pre' })).textContent).toBe(
      '- tool: shell\n  command: ["uname 0"]',
    );
    const text = screen.getByTestId('suggestions').textContent;
    expect(text).toContain('demo may use form 0.');
    expect(text).toContain('7 of the last 40 calls would have run without asking.');
    expect(text).toContain(
      '7 of the last 40 calls would have run without asking; 2 of those were denied by a person. For 2 it isn’t known, because they name files with wildcards.',
    );
    expect(text).toContain('agents › demo › toolConfirmation › rules');
    expect(screen.queryByLabelText('Rule 4')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Always allow this…' })).toBeNull();
    expect(asked).toEqual([{ what: path }]);
  });

  it('can be remembered from the card instead, where that is offered: it is chosen there, and not yet approved', async () => {
    const asked = gateway({ [path]: { body: { suggestions: [suggestion(0)] } } });
    show({ scopes: ['once', 'session', 'always'], covers: [{ kind: 'command', text: 'form 0' }] });
    fireEvent.click(await screen.findByRole('button', { name: 'Always allow this…' }));
    expect(onAlways.mock.calls).toEqual([['command']]);
    expect(asked).toEqual([{ what: path }]);
  });

  it('is not made up where none fits', async () => {
    gateway({ [path]: { body: { suggestions: [] } } });
    show();
    expect(await screen.findByText(/No rule fits/)).toBeDefined();
  });

  it('that could not be fetched says so', async () => {
    gateway({ [path]: { status: 503, body: { detail: 'try again' } } });
    show();
    expect((await screen.findByRole('alert')).textContent).toContain('try again');
  });
});
