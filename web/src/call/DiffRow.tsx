import { memo } from 'react';
import { IconArrowsVertical } from '@tabler/icons-react';
import { Revealed } from '../ui/Revealed';
import { texts } from '../words/texts';
import type { DiffLine } from './diff';
import type { DiffRow, Layout } from './diffRows';
import classes from './diff.module.css';
import { wordMarks } from './wordMarks';

interface Props {
  row: DiffRow;
  layout: Layout;
  partners: ReadonlyMap<DiffLine, DiffLine>;
  onOpen: () => void;
}

/** One row of a change, with signs as well as colours. */
export function Row({ row, layout, partners, onOpen }: Props) {
  if (row.kind === 'gap') return <Gap row={row} onOpen={onOpen} />;
  const { left, right } = row;
  if (layout === 'unified') {
    const line = (right ?? left)!;
    return (
      <Line line={line} partner={partners.get(line)} numbers={[numberBefore(line), numberAfter(line)]} />
    );
  }
  return (
    <div className={classes.pair}>
      {[left, right].map((line, side) =>
        line ? (
          <Line
            key={side}
            line={line}
            partner={partners.get(line)}
            numbers={[side === 0 ? numberBefore(line) : numberAfter(line)]}
          />
        ) : (
          <span key={side} className={classes.nothing} />
        ),
      )}
    </div>
  );
}

const numberBefore = ({ kind, before }: DiffLine) => (kind === 'added' ? '' : before);
const numberAfter = ({ kind, after }: DiffLine) => (kind === 'removed' ? '' : after);

function Gap({ row, onOpen }: { row: Extract<DiffRow, { kind: 'gap' }>; onOpen: () => void }) {
  const words = texts.diff.gap(row.from, row.to);
  if (!row.known) return <div className={classes.gap}>{words}</div>;
  return (
    <button type="button" className={classes.gap} onClick={onOpen}>
      <IconArrowsVertical size={14} aria-hidden /> {words} <strong>{texts.diff.show}</strong>
    </button>
  );
}

const signs = { same: ' ', added: '+', removed: '-' };

interface LineProps {
  line: DiffLine;
  partner: DiffLine | undefined;
  numbers: readonly (number | '')[];
}

const Line = memo(function Line({ line, partner, numbers }: LineProps) {
  if (line.kind === 'note') return <div className={classes.note}>{line.text}</div>;
  const Tag = { same: 'div', added: 'ins', removed: 'del' }[line.kind] as 'div';
  return (
    <Tag className={classes.line} data-kind={line.kind} data-numbers={numbers.length}>
      {numbers.map((n, i) => (
        <span key={i} className={classes.number} aria-hidden>
          {n}
        </span>
      ))}
      <span className={classes.sign}>{signs[line.kind]}</span>
      <span className={classes.text}>
        <Words line={line} partner={partner} />
        {'\n'}
      </span>
    </Tag>
  );
});

/** A line's text; words that differ from its counterpart are marked. */
function Words({ line, partner }: Pick<LineProps, 'line' | 'partner'>) {
  const added = line.kind === 'added';
  const marks =
    partner &&
    wordMarks(...((added ? [partner.text, line.text] : [line.text, partner.text]) as [string, string]));
  if (!marks) return <Revealed text={line.text} />;
  return marks[added ? 1 : 0].map(({ text, changed }, i) =>
    changed ? (
      <span key={i} className={classes.word}>
        <Revealed text={text} />
      </span>
    ) : (
      <Revealed key={i} text={text} />
    ),
  );
}
