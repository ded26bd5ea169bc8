import { head as cut } from '../words/clipped';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../words/texts';
import { Revealed } from './Revealed';
import classes from './text.module.css';
import shared from './shared.module.css';

interface BlockProps {
  text: string;
  label?: string;
  error?: boolean;
}

/** Monospace text, whole. */
export function Block({ text, label, error }: BlockProps) {
  return (
    <pre className={`${shared.code} ${classes.block} ${error ? classes.error : ''}`} aria-label={label}>
      <Revealed text={text} />
    </pre>
  );
}

const shown = 16;

/** Monospace text of the past: long text opens on demand, and says how long it is. */
export function LongBlock({ text, label, error }: BlockProps) {
  const [open, setOpen] = useState(false);
  const lines = text.split('\n');
  const long = lines.length > shown + 4 || text.length > 3000;
  const head = cut(lines.slice(0, shown).join('\n'), 2000);
  return (
    <div>
      <Block text={long && !open ? head : text} label={label} error={error} />
      {long && (
        <Button className={classes.more} size="compact-xs" variant="subtle" onClick={() => setOpen(!open)}>
          {open ? texts.call.showLess : texts.call.showAll(lines.length)}
        </Button>
      )}
    </div>
  );
}

interface CaptionProps {
  title?: string;
  name?: string;
  note?: string;
}

export function Caption({ title, name, note }: CaptionProps) {
  return (
    <div className={classes.caption}>
      {title && <span>{title}</span>}
      {name && (
        <span className={classes.captionName}>
          <Revealed text={name} />
        </span>
      )}
      {note && <span>{note}</span>}
    </div>
  );
}
