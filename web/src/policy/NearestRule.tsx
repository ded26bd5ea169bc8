import { IconCheck, IconX } from '@tabler/icons-react';
import { capitalised } from '../words/plural';
import { texts } from './texts';
import type { Nearest } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import { SentenceView } from '../ui/SentenceView';
import classes from './tryCall.module.css';
import shared from '../ui/shared.module.css';

/** The allow rule that comes nearest, the command word by word, and why the rule fails. */
export function NearestRule({ nearest }: { nearest: Nearest }) {
  const { rule, words, at, why } = nearest;
  const t = texts.tryCall;
  const failed = words[at];
  return (
    <div className={classes.part} data-testid="nearest">
      <h3>{t.nearest}</h3>
      <p>{rule.sentence ? <SentenceView sentence={rule.sentence} /> : <Revealed text={rule.rule} />}</p>
      <ul className={`${shared.bare} ${classes.words}`}>
        {words.map((word, i) => (
          <Word key={i} word={word} fits={at < 0 || i < at ? true : i === at ? false : undefined} />
        ))}
      </ul>
      <p>
        <strong className={classes.fails}>
          {failed === undefined ? (
            t.fails
          ) : (
            <>
              {t.failsAt}{' '}
              <code>
                <Revealed text={failed} />
              </code>
              .
            </>
          )}
        </strong>{' '}
        <Revealed text={`${capitalised(why)}.`} />
      </p>
    </div>
  );
}

/** A word that fits, that does not, or that was not looked at. */
function Word({ word, fits }: { word: string; fits: boolean | undefined }) {
  const t = texts.tryCall;
  return (
    <li className={classes.word} data-fits={fits}>
      {fits === true && <IconCheck size={13} stroke={3} aria-label={t.wordFits} />}
      {fits === false && <IconX size={13} stroke={3} aria-label={t.wordFails} />}
      <code>
        <Revealed text={word} />
      </code>
    </li>
  );
}
