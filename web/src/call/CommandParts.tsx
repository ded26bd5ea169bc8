import { texts } from '../words/texts';
import type { CommandPart } from '../wire/wire';
import classes from './command.module.css';
import shared from '../ui/shared.module.css';
import { CommandText } from './CommandText';
import { Revealed } from '../ui/Revealed';
import { RiskMark } from '../ui/RiskLine';

/** What each part of a command line does, as the gateway has taken it apart. */
export function CommandParts({ parts }: { parts: readonly CommandPart[] }) {
  const t = texts.card;
  return (
    <div data-testid="parts">
      <p className={classes.partsTitle}>{parts.length === 1 ? t.partAlone : t.parts}</p>
      <ol className={`${shared.list} ${classes.list}`} data-one={parts.length === 1 || undefined}>
        {parts.map((part, i) => (
          <li key={i} className={classes.part} data-level={part.risk}>
            <RiskMark risk={part.risk ? { level: part.risk } : undefined} />
            <code className={classes.partText}>
              <CommandText text={part.text} />
            </code>
            {part.does && part.does.length > 0 && (
              <span className={classes.does}>
                <Revealed text={part.does.join(' · ')} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
