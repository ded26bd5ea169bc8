import { Loader, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { texts } from './texts';
import type { Progress } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import classes from './session.module.css';

/** How far a call is that runs. */
export function ProgressLine({ progress, tool }: { progress: Progress; tool: string }) {
  const { done, total, message } = progress;
  const known = total !== undefined && total > 0;
  const far = texts.call.progress(written(done), known ? written(total) : undefined);
  const words = [far, message].filter(Boolean).join(' · ');
  const spoken = useCalm(words);
  const whole = known
    ? { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': clamp(done, total) }
    : {};
  return (
    <div className={classes.progress} data-testid="progress">
      {/* What is seen may change every moment; what is read out waits. */}
      <p className={classes.far} aria-live="off">
        <Loader size={14} aria-hidden />
        <span>
          <Revealed text={words} mode="prose" />
        </span>
      </p>
      <div
        className={classes.track}
        role="progressbar"
        aria-label={texts.call.progressLabel(tool)}
        aria-valuetext={far}
        data-open={!known || undefined}
        {...whole}
      >
        <span style={known ? { width: `${(clamp(done, total) / total) * 100}%` } : undefined} />
      </div>
      <VisuallyHidden role="status">
        <Revealed text={spoken} mode="prose" />
      </VisuallyHidden>
    </div>
  );
}

function clamp(done: number, total: number): number {
  return Math.min(Math.max(done, 0), total);
}

function written(n: number): string {
  return n.toLocaleString('en', { maximumFractionDigits: 2 });
}

export const calm = 10_000;

/** The newest text, but no two sooner after each other than a person wants to hear them. */
function useCalm(text: string): string {
  const [said, setSaid] = useState(text);
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => {
    const timer = setInterval(() => setSaid(newest.current), calm);
    return () => clearInterval(timer);
  }, []);
  return said;
}
