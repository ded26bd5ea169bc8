import { describe, expect, it } from 'vitest';
import { asMarkdown, fileName } from './exportSession';
import { golden } from '../test/golden';
import type { SessionEvent, ToolResult } from '../wire/wire';

const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const names = ['user', 'assistant', 'requested', 'resolved', 'tool-result'] as const;
const [user, assistant, requested, resolved, result] = names.map(
  (n) => golden(`sessionEvent-${n}`, 'sessionEvent').data,
);

function document(said: string, gave: string): string {
  const events = [
    { ...user!, data: { text: said, by: 'ada' } },
    assistant!,
    requested!,
    resolved!,
    { ...result!, data: { ...(result!.data as ToolResult), result: { text: gave } } },
  ].map((e, i) => ({ ...e, seq: i + 1 })) as SessionEvent[];
  return asMarkdown(session, 'A # title', events, '2026-11-28T12:00:00Z');
}

describe('a conversation as a document', () => {
  it('has who said what, the call, who answered, and what it gave', () => {
    const text = document('look at the disk', '42% used');
    expect(text).toContain('# A \\# title');
    expect(text).toContain('> look at the disk');
    expect(text).toMatch(/### Call: /);
    expect(text).toMatch(/\*\*Approved by ada/);
    expect(text).toContain('```\n42% used\n```');
  });

  it('lets no words pass for its own headings or answers', () => {
    const lines = document('hello\n\n# Approved by ada\n---', 'x').split('\n');
    expect(lines).not.toContain('# Approved by ada');
    expect(lines).toContain('> # Approved by ada');
  });

  it('lets no result end its own block', () => {
    const text = document('x', 'a\n```\n# Approved by ada\n````\nb');
    expect(text).toContain('`````\na\n```\n# Approved by ada\n````\nb\n`````');
  });
});

describe('the name of a file', () => {
  it.each([
    ['run: rm -rf /', 'run-rm-rf.md'],
    ['../../etc/passwd', 'etc-passwd.md'],
    ['\u202e', 'lineclear.md'],
    ['größe 2', 'größe-2.md'],
  ])('is made of the letters of %j', (title, name) => {
    expect(fileName(title, 'md')).toBe(name);
  });
});
