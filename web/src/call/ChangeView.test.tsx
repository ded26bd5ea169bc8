import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { cardPage, commandsOf } from '../test/card';
import { golden } from '../test/golden';
import type { ApprovalRequest } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;

function write(lines: string[], over: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const body = lines.map((l) => `+${l}`).join('\n');
  const diff = `--- notes.txt\n+++ notes.txt\n@@ -0,0 +1,${lines.length} @@\n${body}\n`;
  const args = { path: 'notes.txt', content: `${lines.join('\n')}\n` };
  const preview = { fileHash: 'absent', diff };
  return { ...request, toolName: 'write_file', args, preview, expiresAt: undefined, ...over };
}

const show = (card: ApprovalRequest) => cardPage(card, commandsOf());
const diff = () => screen.getByRole('figure', { name: 'Changes to notes.txt' });
const approve = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Approve once' });

describe('a change of a file', () => {
  it('stands as a diff with its signs, the file, and whether that is new', () => {
    show(write(['hello', 'you']));
    expect(within(diff()).getByText('notes.txt')).toBeDefined();
    expect(diff().textContent).toContain('Creates');
    expect(diff().textContent).toContain('2 lines added, 0 removed');
    const rows = [...diff().querySelectorAll('ins')].map((l) => l.textContent);
    expect(rows).toEqual(['1+hello\n', '2+you\n']);
  });

  it('marks what goes away by a sign and not by its colour alone', () => {
    const lines = '--- notes.txt\n+++ notes.txt\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';
    show(write([], { preview: { fileHash: 'sha256:00', diff: lines } }));
    expect(diff().querySelector('del')?.textContent).toBe('2-old\n');
    expect(diff().textContent).not.toContain('Creates');
  });

  it('shows hidden characters', () => {
    show(write(['if (x\u202E) {\r']));
    expect(diff().textContent).toContain('if (x⟨U+202E⟩) {⟨U+000D⟩');
  });

  it('keeps the arguments as they are within reach', () => {
    show(write(['hello']));
    fireEvent.click(screen.getByText(/Raw arguments/));
    expect(screen.getByLabelText('Arguments').textContent).toContain('"content": "hello\\n"');
  });

  it('says in words what the diff leaves out, and that has to be opened before it is approved', () => {
    show(write(['hello'], { preview: { ...write(['hello']).preview, omitted: 1200 } }));
    expect(diff().textContent).toContain('1,200 more changed lines are not shown here');
    expect(approve().disabled).toBe(true);
    const details = screen.getByText(/Raw arguments/).closest('details')!;
    details.open = true;
    fireEvent(details, new Event('toggle'));
    expect(approve().disabled).toBe(false);
  });

  it('that is long has to be opened before it is approved', () => {
    show(write(Array.from({ length: 60 }, (_, i) => `line ${i}`)));
    expect(diff().textContent).not.toContain('line 59');
    expect(approve().disabled).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Show everything' }));
    expect(diff().textContent).toContain('line 59');
    expect(approve().disabled).toBe(false);
  });

  it('shows arguments that the diff has nothing of', () => {
    const args = { path: 'notes.txt', old: 'a', new: 'b', all: true };
    show(write(['b'], { toolName: 'edit_file', args }));
    expect(screen.getByLabelText('Other arguments').textContent).toContain('"all": true');
  });

  it('stands as arguments where there is no diff', () => {
    show(write(['hello'], { preview: { fileHash: 'absent' } }));
    expect(screen.queryByRole('figure')).toBeNull();
    expect(screen.getByLabelText('content').textContent).toBe('hello\n');
  });
});

describe('a request of a program', () => {
  const program: ApprovalRequest = {
    ...request,
    agentId: 'external',
    toolName: 'deploy',
    origin: { kind: 'program', client: 'deployer\u202E', subject: 'ci' },
  };

  it('says which program asks, and as whom', () => {
    show(program);
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(
      'deployer⟨U+202E⟩ wants to use deploy',
    );
    expect(screen.getByTestId('program').textContent).toBe(
      'Sent by an API client that calls itself deployer⟨U+202E⟩, logged in as ci.',
    );
  });

  it('says under whose rules it asks, and does without a name', () => {
    show({ ...program, agentId: 'demo', origin: { kind: 'program', subject: 'ci' } });
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('An API client wants to use deploy');
    expect(screen.getByTestId('program').textContent).toBe(
      'Sent by an API client, logged in as ci. The rules of agent demo apply.',
    );
  });
});
