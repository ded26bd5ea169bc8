import { cleanup } from '@testing-library/react';
import { loadDialogs } from '../ui/dialogs';
import { afterEach, vi } from 'vitest';

// What jsdom lacks and the components ask for.
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
}));
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
vi.stubGlobal(
  'IntersectionObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
Object.defineProperty(document.defaultView, 'PointerEvent', {
  configurable: true,
  value: class extends MouseEvent {
    readonly pointerId: number;
    readonly pointerType: string;
    readonly isPrimary: boolean;
    constructor(type: string, init: PointerEventInit = {}) {
      super(type, init);
      this.pointerId = init.pointerId ?? 0;
      this.pointerType = init.pointerType ?? '';
      this.isPrimary = init.isPrimary ?? true;
    }
  },
});
Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
HTMLElement.prototype.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

await loadDialogs();

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
