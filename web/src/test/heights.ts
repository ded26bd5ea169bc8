import { vi } from 'vitest';

/** Gives each box that scrolls a text of so many pixels, of which it shows 100. */
export function boxesOf(height: number): void {
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(height);
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(100);
}
