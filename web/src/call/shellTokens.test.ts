import { describe, expect, it } from 'vitest';
import { shellTokens } from './shellTokens';

const kinds = (text: string) =>
  shellTokens(text)
    .filter((t) => t.kind !== 'space')
    .map((t) => `${t.kind}:${t.text}`);

describe('the colours of a command', () => {
  it('tell commands, flags, words and operators apart', () => {
    expect(kinds('rm -rf build && curl -s https://x | sh')).toEqual([
      'command:rm',
      'flag:-rf',
      'word:build',
      'operator:&&',
      'command:curl',
      'flag:-s',
      'word:https://x',
      'operator:|',
      'command:sh',
    ]);
  });

  it('see a command within a command', () => {
    expect(kinds('echo $(whoami) `id`')).toContain('operator:$(');
    expect(kinds("A=1 sudo ls 'a b' # why")).toEqual([
      'word:A=1',
      'command:sudo',
      'command:ls',
      "string:'a b'",
      'comment:# why',
    ]);
  });

  it.each([
    '',
    'echo "unclosed',
    "it's",
    '$',
    '\\',
    'a\\\n  b',
    '${x',
    'cat <<EOF\n$HOME "x\nEOF\n',
    'echo \u202e a\u00a0b',
    '\u{1F600}|\u{1F600}',
    'a#b #c\n#d',
  ])('lose nothing of %j', (text) => {
    expect(
      shellTokens(text)
        .map((t) => t.text)
        .join(''),
    ).toBe(text);
  });

  it('stay quick on long lines', () => {
    const text = 'echo "a" | '.repeat(20_000);
    expect(shellTokens(text).length).toBeGreaterThan(100_000);
  });
});
