import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Revealed } from './Revealed';

function shown(text: string, mode: 'exact' | 'prose' = 'exact') {
  const { container } = render(<Revealed text={text} mode={mode} />);
  return {
    text: container.textContent,
    marks: [...container.querySelectorAll('mark')].map((m) => m.textContent),
  };
}

describe('hidden characters', () => {
  it.each([
    ['a right-to-left override', 'a\u202eb', '⟨U+202E⟩'],
    ['an isolate', 'a\u2066b', '⟨U+2066⟩'],
    ['a zero-width space', 'a\u200bb', '⟨U+200B⟩'],
    ['a byte order mark', 'a\ufeffb', '⟨U+FEFF⟩'],
    ['a soft hyphen', 'a\u00adb', '⟨U+00AD⟩'],
    ['an escape', 'a\u001bb', '⟨U+001B⟩'],
    ['a null', 'a\u0000b', '⟨U+0000⟩'],
    ['a carriage return', 'a\rb', '⟨U+000D⟩'],
    ['a tag letter', 'a\u{e0041}b', '⟨U+E0041⟩'],
    ['a variation selector that carries data', 'a\u{e0101}b', '⟨U+E0101⟩'],
    ['a Hangul filler', 'a\u3164b', '⟨U+3164⟩'],
    ['half of a pair', 'a\ud800b', '⟨U+D800⟩'],
    ['a line separator', 'a\u2028b', '⟨U+2028⟩'],
    ['a no-break space in a command', 'a\u00a0b', '⟨U+00A0⟩'],
  ])('%s is shown and marked', (_name, text, token) => {
    expect(shown(text)).toEqual({ text: `a${token}b`, marks: [token] });
  });

  it('line breaks and tabs are what they are', () => {
    expect(shown('a\n\tb')).toEqual({ text: 'a\n\tb', marks: [] });
  });

  it('an emoji is left whole, a lone joiner is not', () => {
    expect(shown('⚠️ 👩‍💻 x\u200dy', 'prose')).toEqual({ text: '⚠️ 👩‍💻 x⟨U+200D⟩y', marks: ['⟨U+200D⟩'] });
  });

  it('prose may use typographic blanks', () => {
    expect(shown('100\u00a0km', 'prose').marks).toEqual([]);
  });
});
