import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import classes from './text.module.css';
import shared from './shared.module.css';

interface Props {
  label: string;
  /** Called once its end was in view. */
  onRead?: (() => void) | undefined;
  testId?: string;
  children: ReactNode;
}

// In pixels: the last line is in view before the last pixel.
const slack = 4;

/** A scroll box for long content, so that what comes below stays near. */
export function ReadBox({ label, onRead, testId, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [read, setRead] = useState(false);
  // After every render: the content may have grown.
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
