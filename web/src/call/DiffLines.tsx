import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { keptFlag } from '../browser/keptFlag';
import { ReadBox } from '../ui/ReadBox';
import { VirtualList, type Jump } from '../ui/VirtualList';
import { texts } from '../words/texts';
import classes from './diff.module.css';
import shared from '../ui/shared.module.css';
import type { Change } from './change';
import { diffRows, partners, type DiffRow } from './diffRows';
import { Row } from './DiffRow';
import { ViewChoice } from './ViewChoice';

export interface DiffLinesProps {
  change: Change;
  /** Scrolls in a box of its own, for long changes. */
  boxed: boolean;
  /** Called once the last line was in view; without a box, once drawn. */
  onRead?: (() => void) | undefined;
}

const split = keptFlag('lineclear.split');

/** The lines of a change, in one column or two. Loaded lazily. */
export default function DiffLines({ change, boxed, onRead }: DiffLinesProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const wide = useMediaQuery('(min-width: 900px)') ?? false;
  const twoSided = wide && change.diff.added > 0 && change.diff.removed > 0;
  const layout = split.use() && twoSided ? 'split' : 'unified';
  const { rows, starts } = useMemo(() => diffRows(change, layout, opened), [change, layout, opened]);
  const marks = useMemo(() => partners(change.diff.lines), [change]);
  const [jump, setJump] = useState<Jump>();
  useEffect(() => {
    if (!boxed) onRead?.();
  }, [boxed, onRead]);
  const draw = (row: DiffRow) => (
    <Row row={row} layout={layout} partners={marks} onOpen={() => setOpened(new Set([...opened, row.key]))} />
  );
  const t = texts.diff;
  const list = boxed ? (
    <ReadBox label={t.lines} onRead={onRead} testId="diff-lines">
      <VirtualList items={rows} keyOf={keyOf} height={20} jump={jump} render={draw} />
    </ReadBox>
  ) : (
    <div className={shared.code}>
      {rows.map((row) => (
        <div key={row.key}>{draw(row)}</div>
      ))}
    </div>
  );
  return (
    <div className={classes.lines} data-layout={layout}>
      {(twoSided || boxed) && (
        <div className={classes.tools}>
          {twoSided && (
            <ViewChoice
              label={t.layout}
              views={[
                ['unified', t.unified],
                ['split', t.split],
              ]}
              chosen={layout}
              onChoose={(next) => split.set(next === 'split')}
            />
          )}
          {boxed && starts.length > 1 && <Steps starts={starts} onJump={setJump} />}
        </div>
      )}
      {list}
    </div>
  );
}

const keyOf = (row: DiffRow) => row.key;

/** Buttons to the previous and the next change. */
function Steps({ starts, onJump }: { starts: readonly string[]; onJump: (jump: Jump) => void }) {
  const [at, setAt] = useState(-1);
  const t = texts.diff;
  const go = (to: number) => {
    setAt(to);
    onJump({ key: starts[to]!, quiet: true });
  };
  return (
    <span className={classes.steps}>
      <span>{at < 0 ? t.steps(starts.length) : t.step(at + 1, starts.length)}</span>
      <Button.Group>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.previous}
          disabled={at <= 0}
          onClick={() => go(at - 1)}
        >
          <IconArrowUp size={15} aria-hidden />
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.next}
          disabled={at >= starts.length - 1}
          onClick={() => go(at + 1)}
        >
          <IconArrowDown size={15} aria-hidden />
        </Button>
      </Button.Group>
    </span>
  );
}
