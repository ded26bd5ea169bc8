import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { page, storeOf } from '../test/page';
import Markdown from './Markdown';

function show(text: string): HTMLElement {
  page(
    storeOf(),
    <div data-testid="message">
      <Markdown text={text} />
    </div>,
  );
  return screen.getByTestId('message');
}

describe('a message', () => {
  it.each([
    '[x](javascript:alert(1))',
    '[x](data:text/html,<script>1</script>)',
    '[x](JaVaScRiPt&#58;alert(1))',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](#/session/1)',
    '[x](/api/logout)',
    '[x](//example.org)',
    '<a href="javascript:alert(1)">x</a>',
    '<javascript:alert(1)>',
  ])('makes no link of %s', (text) => {
    show(text);
    expect(screen.queryByRole('link')).toBeNull();
  });

  it.each([
    ['[https://github.com/login](https://ithub.com/login)', 'ithub.com'],
    ['[github.com](https://github.com@evil.example/)', 'evil.example'],
    ['[see example.org](https://example.org/a)', 'example.org'],
  ])('says beside %s where it leads', (text, place) => {
    expect(show(text).textContent).toContain(`(${place})`);
  });

  it.each([
    ['[x](https://example.org/a)', 'https://example.org/a'],
    ['[x](http://example.org)', 'http://example.org/'],
    ['[x](mailto:a@example.org)', 'mailto:a@example.org'],
    ['https://example.org/b', 'https://example.org/b'],
    ['![x](https://example.org/p.png)', 'https://example.org/p.png'],
  ])('makes an outside link of %s', (text, address) => {
    show(text);
    const link = screen.getByRole('link');
    expect(link.getAttribute('href')).toBe(address);
    expect(link.getAttribute('rel')).toBe('noopener noreferrer');
  });

  it.each([
    ['[https://bank.example](https://evil.example)', 'https://bank.example (evil.example)'],
    ['[evil.example](https://evil.example)', 'evil.example'],
  ])('says where a link leads, unless its words do: %s', (text, read) => {
    expect(show(text).textContent).toBe(read);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="/"></iframe>',
    'a <b>c</b>',
  ])('shows HTML as the text that it is: %s', (text) => {
    const shown = show(text);
    expect(shown.textContent).toBe(text);
    expect(shown.querySelector('script, img, iframe, b')).toBeNull();
  });

  it('loads no image', () => {
    expect(show('![a](https://example.org/a.png)').querySelector('img')).toBeNull();
  });

  it.each(['a\u202eb', '`a\u200bb`', '**a\u2066b**', '```\na\u00a0b\n```', 'a&#x202e;b'])(
    'shows the hidden character of %j',
    (text) => {
      expect(show(text).querySelector('mark')?.textContent).toMatch(/^⟨U\+[0-9A-F]{4}⟩$/);
    },
  );
});
