import { IconFileDiff, IconFilePlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Diff, DiffLine } from './diff';
import { texts } from '../words/texts';
import { FoldNotice } from './FoldNotice';
import classes from './diff.module.css';
import shared from '../ui/shared.module.css';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

// What is longer is folded at first; on a card it has to be opened before approving.
const most = 40;
const head = 24;

export function isLongDiff(diff: Diff): boolean {
  return diff.lines.length > most || diff.lines.some((line) => line.text.length > 2400);
}

interface Props {
  diff: Diff;
  created: boolean;
  omitted: number;
  expanded: boolean;
  onExpand: () => void;
}

/** What a call would change in a file. The signs stand beside the colours. */
export function DiffView({ diff, created, omitted, expanded, onExpand }: Props) {
  const t = texts.diff;
  const folded = isLongDiff(diff) && !expanded;
  const lines = folded ? diff.lines.slice(0, head).map(cut) : diff.lines;
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
        <span className={classes.counts}>{t.counts(diff.added, diff.removed)}</span>
      </figcaption>
      <pre className={`${shared.code} ${classes.lines}`} data-folded={folded || undefined}>
        {lines.map((line, i) => (
          <Line key={i} line={line} />
        ))}
      </pre>
      {folded && <FoldNotice words={t.folded(diff.lines.length)} onExpand={onExpand} />}
      {omitted > 0 && <Remark tone="warn">{t.omitted(omitted)}</Remark>}
    </figure>
  );
}

function cut(line: DiffLine): DiffLine {
  return line.text.length > 400 ? { ...line, text: `${line.text.slice(0, 400)}…` } : line;
}

const signs = { same: ' ', added: '+', removed: '-' };

function Line({ line }: { line: DiffLine }) {
  if (line.kind === 'hunk' || line.kind === 'note') {
    const words = line.kind === 'hunk' ? texts.diff.hunk(line.line) : line.text;
    return (
      <span className={classes.line} data-kind={line.kind}>
        <Revealed text={words} />
        {'\n'}
      </span>
    );
  }
  const Tag = { same: 'span', added: 'ins', removed: 'del' }[line.kind] as 'span';
  return (
    <Tag className={classes.line} data-kind={line.kind}>
      <span className={classes.number} aria-hidden>
        {line.line}
      </span>
      <span className={classes.sign}>{signs[line.kind]}</span>
      <span className={classes.text}>
        <Revealed text={line.text} />
        {'\n'}
      </span>
    </Tag>
  );
}

/** A change of the past: long ones open on demand. */
export function PastDiff(props: Omit<Props, 'expanded' | 'onExpand'>) {
  const [expanded, setExpanded] = useState(false);
  return <DiffView {...props} expanded={expanded} onExpand={() => setExpanded(true)} />;
}
