import type { ReactNode } from 'react';
import classes from './remark.module.css';

export function Remark({ tone, children }: { tone: 'warn' | 'quiet' | 'error'; children: ReactNode }) {
  return (
    <p className={classes.remark} data-tone={tone} role={tone === 'error' ? 'alert' : undefined}>
      {children}
    </p>
  );
}
