import { clipped } from '../words/clipped';
import { Button } from '@mantine/core';
import { IconFileDiff, IconFilePlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import type { ApprovalRequest } from '../wire/wire';
import type { Change } from './change';
import { texts } from '../words/texts';
import { FoldNotice } from './FoldNotice';
import classes from './diff.module.css';
import shared from '../ui/shared.module.css';
import { LazyPart, Loading } from '../ui/LazyPart';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import { useChange, type ChangeState } from './useChange';

const DiffLines = lazy(() => import('./DiffLines'));

// What is longer is folded at first; on a card it has to be opened before approving.
const most = 40;
const head = 24;

export function isLongChange({ diff, omitted }: Change): boolean {
  return omitted > 0 || diff.lines.length > most || diff.lines.some((line) => line.text.length > 2400);
}

interface Props {
  state: ChangeState;
  change: Change;
  opened: boolean;
  onOpen: () => void;
  /** Called once the last line of the whole change was in view. */
  onRead?: () => void;
}

/** What a call would change in a file. */
export function DiffView({ state, change, opened, onOpen, onRead }: Props) {
  const { diff, created, omitted, counts } = change;
  const t = texts.diff;
  const long = isLongChange(change);
  const whole = !long || (opened && !state.loading && !state.failed);
  const Icon = created ? IconFilePlus : IconFileDiff;
  return (
    <figure className={classes.diff} aria-label={t.label(diff.file)} data-testid="diff">
      <figcaption className={classes.caption}>
        <Icon size={16} aria-hidden />
        <span>
          {created ? t.creates : t.changes}{' '}
          <code className={classes.file}>
            <Revealed text={diff.file} />
          </code>
        </span>
        {counts && <Counts {...counts} />}
      </figcaption>
      <LazyPart>
        {whole ? (
          <DiffLines key="whole" change={change} boxed={long} onRead={onRead} />
        ) : (
          <DiffLines key="head" change={headOf(change)} boxed={false} />
        )}
      </LazyPart>
      {!opened && long && (
        <FoldNotice
          words={t.folded(Math.min(head, diff.lines.length), diff.lines.length + omitted)}
          onExpand={onOpen}
        />
      )}
      {opened && state.loading && <Loading words={t.loading} />}
      {opened && state.failed && (
        <div className={shared.spread}>
          <Remark tone="error">{t.failed(state.failed)}</Remark>
          <Button size="compact-sm" variant="default" onClick={state.load}>
            {t.again}
          </Button>
        </div>
      )}
      {whole && omitted > 0 && <Remark tone="warn">{t.omitted(omitted)}</Remark>}
    </figure>
  );
}

function Counts({ added, removed }: { added: number; removed: number }) {
  const t = texts.diff;
  return (
    <span className={classes.counts}>
      <span aria-hidden>
        <span data-kind="added">+{added.toLocaleString('en')}</span>{' '}
        <span data-kind="removed">−{removed.toLocaleString('en')}</span>
      </span>
      <span className={shared.visuallyHidden}>{t.counts(added, removed)}</span>
    </span>
  );
}

function headOf(change: Change): Change {
  const lines = change.diff.lines.slice(0, head).map((line) => {
    return { ...line, text: clipped(line.text, 400) };
  });
  return { ...change, diff: { ...change.diff, lines }, after: undefined, omitted: 1 };
}

/** The file change of a past or running call; nothing if it changes no file. */
export function PastChange({ request }: { request: ApprovalRequest }) {
  const state = useChange(request);
  const [opened, setOpened] = useState(false);
  if (!state.change) return null;
  const open = () => {
    setOpened(true);
    state.load();
  };
  return <DiffView state={state} change={state.change} opened={opened} onOpen={open} />;
}
