import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { cardPage, commandsOf } from '../test/card';
import { golden } from '../test/golden';
import { boxesOf } from '../test/heights';
import { gateway } from '../test/page';
import type { ApprovalRequest } from '../wire/wire';
import './DiffLines'; // preloads the lazy part

const request = golden('approvalRequest', 'approvalRequest').data;

function write(lines: string[], over: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const body = lines.map((l) => `+${l}`).join('\n');
  const diff = `--- notes.txt\n+++ notes.txt\n@@ -0,0 +1,${lines.length} @@\n${body}\n`;
  const args = { path: 'notes.txt', content: `${lines.join('\n')}\n` };
  const preview = { fileHash: 'absent', diff };
  return { ...request, toolName: 'write_file', args, preview, expiresAt: undefined, ...over };
}

/** Waits for the lazy part that draws the lines. */
const show = async (card: ApprovalRequest) => {
  const shown = cardPage(card, commandsOf());
  if (card.preview?.diff)
    await vi.waitFor(() => expect(screen.queryByText('Loading…')).toBeNull(), { timeout: 20_000 });
  return shown;
};
const diff = () => screen.getByRole('figure', { name: 'Changes to notes.txt' });
const approve = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Approve once' });
const everything = () => fireEvent.click(screen.getByRole('button', { name: 'Show everything' }));
const box = () => screen.findByRole('region', { name: 'Changed lines' });
const numbered = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`);
const openRaw = () => {
  const details = screen.getByText(/Raw arguments/).closest('details')!;
  details.open = true;
  fireEvent(details, new Event('toggle'));
};

function scrollTo(element: HTMLElement, top: number) {
  element.scrollTop = top;
  fireEvent.scroll(element);
}

describe('a change of a file', () => {
  // Must come first: later on, the lazy part is loaded.
  it('can’t be approved before its lines are drawn', () => {
    cardPage(write(['hello']), commandsOf());
    expect(diff().textContent).toContain('Loading…');
    expect(approve().disabled).toBe(true);
  });

  it('is shown as a diff with signs, the file name, and whether the file is new', async () => {
    await show(write(['hello', 'you']));
    expect(within(diff()).getByText('notes.txt')).toBeDefined();
    expect(diff().textContent).toContain('Creates');
    expect(diff().textContent).toContain('+2 −02 lines added, 0 removed');
    const rows = [...diff().querySelectorAll('ins')].map((l) => l.textContent);
    expect(rows).toEqual(['1+hello\n', '2+you\n']);
  });

  it('marks removed lines by a sign as well as a colour, and marks changed words', async () => {
    const lines = '--- notes.txt\n+++ notes.txt\n@@ -1,2 +1,2 @@\n same\n-an old word\n+a new word\n';
    await show(write([], { preview: { fileHash: 'sha256:00', diff: lines } }));
    expect(diff().querySelector('del')?.textContent).toBe('2-an old word\n');
    expect([...diff().querySelectorAll('del [class*=word]')].map((w) => w.textContent)).toEqual(['an old']);
    expect(diff().textContent).not.toContain('Creates');
  });

  it('shows hidden characters', async () => {
    await show(write(['if (x\u202E) {\r']));
    expect(diff().textContent).toContain('if (x⟨U+202E⟩) {⟨U+000D⟩');
  });

  it('that is short counts as read with its card', async () => {
    await show(write(['hello']));
    expect(approve().disabled).toBe(false);
  });

  it('offers the raw arguments', async () => {
    await show(write(['hello']));
    expect(screen.queryByLabelText('Arguments')).toBeNull();
    openRaw();
    expect(screen.getByLabelText('Arguments').textContent).toContain('"content": "hello\\n"');
  });

  it('that is long must be expanded and read to its end before approval', async () => {
    boxesOf(1000);
    await show(write(numbered(60)));
    expect(diff().textContent).toContain('Only the first 24 lines of 60 are shown.');
    expect(diff().textContent).not.toContain('line 59');
    expect(approve().disabled).toBe(true);
    everything();
    const lines = await box();
    expect(approve().disabled).toBe(true);
    expect(screen.getByText('Scroll the change to its end before approving.')).toBeDefined();
    scrollTo(lines, 700);
    expect(approve().disabled).toBe(true);
    scrollTo(lines, 900);
    expect(approve().disabled).toBe(false);
  });

  it('stays read when its card is drawn again', async () => {
    boxesOf(1000);
    const { leave } = await show(write(numbered(60)));
    everything();
    scrollTo(await box(), 900);
    leave()();
    await box();
    expect(approve().disabled).toBe(false);
  });

  it('shows arguments that the diff doesn’t contain', async () => {
    const args = { path: 'notes.txt', old: 'a', new: 'b', all: true };
    await show(write(['b'], { toolName: 'edit_file', args }));
    expect(screen.getByLabelText('Other arguments').textContent).toContain('"all": true');
  });

  it('is shown as arguments if there is no diff', async () => {
    await show(write(['hello'], { preview: { fileHash: 'absent' } }));
    expect(screen.queryByRole('figure')).toBeNull();
    expect(screen.getByLabelText('content').textContent).toBe('hello\n');
  });

  it('expands the lines between hunks, if they are known', async () => {
    const lines = numbered(20);
    const text = '--- notes.txt\n+++ notes.txt\n@@ -10 +10 @@\n-x\n+line 9\n';
    await show(write(lines, { preview: { fileHash: 'sha256:00', diff: text } }));
    expect(diff().textContent).not.toContain('line 3');
    fireEvent.click(within(diff()).getByRole('button', { name: 'Lines 1–9 unchanged Show' }));
    expect(diff().textContent).toContain('44 line 3');
  });
});

describe('a change the request has only the beginning of', () => {
  const beginning = write(numbered(20), { approvalId: 'a1' });
  const whole = { ...write(numbered(700)).preview, added: 700 };
  // A new object for each test: what was fetched and read is cached by it.
  const cut = () => ({ ...beginning, preview: { ...whole, diff: beginning.preview!.diff!, omitted: 680 } });
  const path = 'GET /api/approvals/a1/change';

  it('shows the counts of the whole, which is fetched when expanded', async () => {
    boxesOf(1000);
    const asked = gateway({ [path]: { body: whole } });
    await show(cut());
    expect(diff().textContent).toContain('+700 −0');
    expect(diff().textContent).toContain('Only the first 20 lines of 700 are shown.');
    expect(asked).toEqual([]);
    everything();
    const lines = await box();
    expect(asked.map((a) => a.what)).toEqual([path]);
    expect(approve().disabled).toBe(true);
    scrollTo(lines, 900);
    expect(approve().disabled).toBe(false);
  });

  it('stays folded if fetching fails, and can be fetched again', async () => {
    let fails = true;
    gateway({ [path]: () => (fails ? { status: 503, body: { detail: 'not now' } } : { body: whole }) });
    await show(cut());
    everything();
    expect(await screen.findByText('Couldn’t load the whole change: not now')).toBeDefined();
    expect(approve().disabled).toBe(true);
    fails = false;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await box();
    expect(approve().disabled).toBe(false);
  });

  it('says how much was not kept; the raw arguments have to be opened as well', async () => {
    gateway({ [path]: { body: { ...whole, omitted: 1200 } } });
    await show(cut());
    everything();
    await box();
    expect(diff().textContent).toContain('1,200 more lines of this diff are not shown here');
    expect(approve().disabled).toBe(true);
    await act(openRaw);
    expect(approve().disabled).toBe(false);
  });
});

describe('a request of a program', () => {
  const program: ApprovalRequest = {
    ...request,
    agentId: 'external',
    toolName: 'deploy',
    origin: { kind: 'program', client: 'deployer\u202E', subject: 'ci' },
  };

  it('says which program asks, and as whom', async () => {
    await show(program);
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(
      'deployer⟨U+202E⟩ wants to use deploy',
    );
    expect(screen.getByTestId('program').textContent).toBe(
      'Sent by an API client that calls itself deployer⟨U+202E⟩, logged in as ci.',
    );
  });

  it('says which agent’s rules apply, and copes without a name', async () => {
    await show({ ...program, agentId: 'demo', origin: { kind: 'program', subject: 'ci' } });
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('An API client wants to use deploy');
    expect(screen.getByTestId('program').textContent).toBe(
      'Sent by an API client, logged in as ci. The rules of agent demo apply.',
    );
  });
});
