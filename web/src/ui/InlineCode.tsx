import { Fragment } from 'react';
import { Revealed } from './Revealed';
import classes from './text.module.css';

// A longer word has to break, or it would be wider than a phone.
const longest = 24;

/** A command, a path or a value within a sentence; an option in it is not split. */
export function InlineCode({ text }: { text: string }) {
  return (
    <code className={classes.inlineCode}>
      {text.split(/(?<= )/).map((word, i) =>
        word.length > longest ? (
          <Revealed key={i} text={word} />
        ) : (
          <Fragment key={i}>
            <span className={classes.whole}>
              <Revealed text={word.trimEnd()} />
            </span>
            {word.slice(word.trimEnd().length)}
          </Fragment>
        ),
      )}
    </code>
  );
}
