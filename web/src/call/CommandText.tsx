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

/** A command line as a block. */
export function CommandBlock({ text, label }: { text: string; label?: string }) {
  if (text.length > mostColoured) return <Block text={text} label={label} />;
  return (
    <pre className={`${shared.code} ${blocks.block}`} aria-label={label} tabIndex={-1}>
      <CommandText text={text} />
    </pre>
  );
}
