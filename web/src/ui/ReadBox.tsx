import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import classes from './text.module.css';
import shared from './shared.module.css';

interface Props {
  label: string;
  /** Called when its end is in sight. */
  onRead?: (() => void) | undefined;
  testId?: string;
  children: ReactNode;
}

// The last line is in sight before the last pixel is.
const slack = 4;

/** What is long scrolls in a box of its own, so that what stands below it stays near. */
export function ReadBox({ label, onRead, testId, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [read, setRead] = useState(false);
  // After each drawing, since what it shows may have grown.
  useLayoutEffect(() => {
    const b = box.current;
    if (!b || !onRead || read) return undefined;
    const look = () => {
      if (!isAtEnd(b)) return;
      setRead(true);
      onRead();
    };
    const grown = new ResizeObserver(look);
    grown.observe(b);
    b.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      grown.disconnect();
      b.removeEventListener('scroll', look);
    };
  });
  return (
    <div
      className={`${shared.code} ${classes.readBox}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      data-scroller
      data-to-read={(onRead && !read) || undefined}
      data-testid={testId}
    >
      {children}
    </div>
  );
}

function isAtEnd(box: HTMLElement): boolean {
  if (box.checkVisibility?.() === false) return false;
  return box.scrollHeight - box.scrollTop - box.clientHeight < slack;
}
