import { Fragment } from 'react';
import type { Sentence } from '../wire/wire';
import { InlineCode } from './InlineCode';
import { Revealed } from './Revealed';

/** A sentence of the gateway's, with its names and commands set apart. */
export function SentenceView({ sentence }: { sentence: Sentence }) {
  return sentence.map(({ kind, text }, i) => {
    if (!kind) return <Fragment key={i}>{text}</Fragment>;
    if (kind === 'code') return <InlineCode key={i} text={text} />;
    return (
      <strong key={i}>
        <Revealed text={text} />
      </strong>
    );
  });
}
