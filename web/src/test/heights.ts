import { vi } from 'vitest';

/** Makes every element a scroll box: content of this height, of which 100 pixels show. */
export function boxesOf(height: number): void {
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(height);
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(100);
}
