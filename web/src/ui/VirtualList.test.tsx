import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { page, storeOf } from '../test/page';
import { VirtualList, chunkSize } from './VirtualList';

const items = Array.from({ length: 1000 }, (_, i) => `n${i}`);
const same = (item: string) => item;
const show = (from: 'start' | 'end', jump?: { key: string }) =>
  page(
    storeOf(),
    <VirtualList
      items={items}
      keyOf={same}
      height={40}
      from={from}
      jump={jump}
      render={(item) => <p>{item}</p>}
    />,
  );
const shown = () => screen.getAllByText(/^n\d+$/).map((p) => p.textContent);

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

describe('a long list', () => {
  it('has only its end in the page, where that is what is read first', () => {
    show('end');
    expect(shown()).toEqual(items.slice(-2 * chunkSize));
  });

  it('has only its beginning in the page, where that is what is read first', () => {
    show('start');
    expect(shown()).toEqual(items.slice(0, 2 * chunkSize));
  });

  it('holds the place of what is not there', () => {
    const { container } = show('end');
    const [first] = container.querySelectorAll<HTMLElement>('[data-chunk="0"]');
    expect(first!.style.height).toBe(`${chunkSize * 40}px`);
  });

  it('has at most 1000 chunks, however many items', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `n${i}`);
    const { container } = page(
      storeOf(),
      <VirtualList items={many} keyOf={same} height={20} render={(item) => <p>{item}</p>} />,
    );
    expect(container.querySelectorAll('[data-chunk]').length).toBe(1000);
    expect(shown()).toEqual(many.slice(0, 100));
  });

  it('scrolls only itself on a quiet jump, and leaves the focus alone', () => {
    const top = vi.spyOn(Element.prototype, 'scrollTop', 'set');
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return this.hasAttribute('data-scroller')
        ? new DOMRect(0, 100, 300, 300)
        : new DOMRect(0, 900, 300, 20);
    });
    page(
      storeOf(),
      <div data-scroller>
        <VirtualList
          items={items}
          keyOf={same}
          height={40}
          jump={{ key: 'n100', quiet: true }}
          render={(item) => <p>{item}</p>}
        />
      </div>,
    );
    expect(shown()).toContain('n100');
    expect(top).toHaveBeenCalledWith(700);
    expect(document.activeElement).toBe(document.body);
    expect(Element.prototype.scrollIntoView).not.toHaveBeenCalled();
  });

  it('brings in what is jumped to, and the focus goes there', () => {
    show('end', { key: 'n100' });
    expect(shown()).toContain('n100');
    expect(document.activeElement?.textContent).toBe('n100');
    expect(Element.prototype.scrollIntoView).toHaveBeenCalled();
  });
});
