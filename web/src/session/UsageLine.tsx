import { Popover, UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { SessionEntry } from '../store/state';
import { texts } from './texts';
import { compactCount, formatCost, usageOf } from './usage';
import classes from './usage.module.css';

/** What the session has used, in short; what that is made of lies behind it. */
export function UsageLine({ entry }: { entry: SessionEntry }) {
  const { session, events } = entry;
  const [opened, setOpened] = useState(false);
  const total = useMemo(() => usageOf({ session, events }), [session, events]);
  const t = texts.usage;
  const tokens = total.input + total.output;
  if (tokens === 0 && total.cost === 0) return null;
  const short = t.short(compactCount(tokens), formatCost(total.cost));
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withArrow shadow="md">
      <Popover.Target>
        <UnstyledButton
          className={classes.usage}
          aria-label={t.label(short)}
          data-testid="usage"
          onClick={() => setOpened(!opened)}
          onKeyDown={(e) => e.key === 'Escape' && setOpened(false)}
          onBlur={(e) => e.relatedTarget && setOpened(false)}
        >
          {short}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <p className={classes.usageTitle}>{t.title}</p>
        <dl className={classes.usageParts}>
          <Part name={t.input} value={whole(total.input)} />
          {total.cached > 0 && <Part name={t.cached} value={whole(total.cached)} part />}
          <Part name={t.output} value={whole(total.output)} />
          {total.cost !== 0 && <Part name={t.cost} value={formatCost(total.cost)} />}
        </dl>
        {total.cost !== 0 && <p className={classes.usageNote}>{t.costNote}</p>}
      </Popover.Dropdown>
    </Popover>
  );
}

function whole(n: number): string {
  return n.toLocaleString('en');
}

function Part({ name, value, part }: { name: string; value: string; part?: boolean }) {
  return (
    <div data-part={part || undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
