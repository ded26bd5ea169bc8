// What tells that the person scrolls. A page scrolls by itself too, and from
// where things stand alone the two can't be told apart.

// A scroll that is animated goes on for a moment after the hand has stopped.
const goesOnFor = 500;

const keys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

let last = -Infinity;
let dragging = false; // the bar of something that scrolls is held
let watchers = 0;

const scrolled = () => (last = performance.now());

const onKey = (e: KeyboardEvent) => {
  letGo();
  if (keys.has(e.key) && !isTyping(e.target) && !isPressed(e)) scrolled();
};

const onPointerDown = (e: PointerEvent) => {
  letGo();
  dragging = isOnBar(e);
};

// Not every browser tells when a bar is let go; a pointer that moves without a button has.
const onPointerMove = (e: PointerEvent) => {
  if (dragging && e.buttons === 0) letGo();
};

function letGo(): void {
  if (dragging) scrolled();
  dragging = false;
}

const listeners: [string, (e: never) => void][] = [
  ['wheel', scrolled],
  ['touchmove', scrolled],
  ['keydown', onKey],
  ['pointerdown', onPointerDown],
  ['pointermove', onPointerMove],
  ['pointerup', letGo],
];
const options = { capture: true, passive: true };

/** Begins to watch; what it gives ends that. */
export function watchScrolling(): () => void {
  if (watchers++ === 0)
    for (const [name, on] of listeners) window.addEventListener(name, on as EventListener, options);
  return () => {
    if (--watchers > 0) return;
    for (const [name, on] of listeners) window.removeEventListener(name, on as EventListener, options);
    last = -Infinity;
    dragging = false;
  };
}

/** Whether what moves now may be moved by the person's own scrolling. */
export function personScrolls(): boolean {
  return dragging || performance.now() - last < goesOnFor;
}

// In a field these keys move the caret.
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable="true"]');
}

// The space bar presses a button, and scrolls nothing there.
function isPressed(e: KeyboardEvent): boolean {
  return e.key === ' ' && e.target instanceof Element && e.target.closest('button, a, summary') !== null;
}

function isOnBar(e: PointerEvent): boolean {
  const at = e.target;
  if (!(at instanceof Element)) return false;
  const { left, top } = at.getBoundingClientRect();
  const x = e.clientX - left - at.clientLeft;
  const y = e.clientY - top - at.clientTop;
  const beyond = x >= at.clientWidth || y >= at.clientHeight;
  return beyond && (at.scrollHeight > at.clientHeight || at.scrollWidth > at.clientWidth);
}
