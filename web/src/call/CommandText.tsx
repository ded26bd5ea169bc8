import type { Numbered } from './commandMarks';
import { useMemo } from 'react';
import { splitHidden } from '../ui/hiddenCharacters';
import { shellTokens } from './shellTokens';
import classes from './command.module.css';
import blocks from '../ui/text.module.css';
import shared from '../ui/shared.module.css';
import { Block } from '../ui/Block';
import { Revealed } from '../ui/Revealed';

// Colours help reading; what nobody reads through needs none.
const mostColoured = 6000;

/** A command line in colours; together they are exactly its text. */
export function CommandText({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > mostColoured ? undefined : shellTokens(text)), [text]);
  if (!tokens) return <Revealed text={text} />;
  return tokens.map((token, i) =>
    token.kind === 'space' && !hides(token.text) ? (
      token.text
    ) : (
      <span key={i} className={classes.token} data-kind={token.kind}>
        {hides(token.text) ? <Revealed text={token.text} /> : token.text}
      </span>
    ),
  );
}

function hides(text: string): boolean {
  return splitHidden(text).some((p) => p.hidden);
}

/** A command line as a block; the parts that have an effect are underlined and numbered. */
export function CommandBlock({
  text,
  label,
  parts = [],
}: {
  text: string;
  label?: string | undefined;
  parts?: readonly Numbered[] | undefined;
}) {
  if (text.length > mostColoured) return <Block text={text} label={label} />;
  return (
    <pre className={`${shared.code} ${blocks.block}`} aria-label={label} tabIndex={-1}>
      {pieces(text, parts).map(({ piece, mark }, i) =>
        mark ? (
          <span key={i} className={classes.mark} data-level={mark.part.risk} data-n={mark.n}>
            <CommandText text={piece} />
          </span>
        ) : (
          <CommandText key={i} text={piece} />
        ),
      )}
    </pre>
  );
}

function pieces(text: string, parts: readonly Numbered[]): { piece: string; mark?: Numbered }[] {
  const all: { piece: string; mark?: Numbered }[] = [];
  let done = 0;
  for (const mark of parts) {
    if (!mark.at || mark.at.to > text.length) continue; // folded away
    all.push(
      { piece: text.slice(done, mark.at.from) },
      { piece: text.slice(mark.at.from, mark.at.to), mark },
    );
    done = mark.at.to;
  }
  return [...all, { piece: text.slice(done) }].filter(({ piece }) => piece !== '');
}
