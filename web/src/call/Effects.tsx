import { CommandText } from './CommandText';
import type { Numbered } from './commandMarks';
import { shortReasons } from '../request/risk';
import { texts } from '../words/texts';
import { capitalised } from '../words/plural';
import type { ApprovalRequest } from '../wire/wire';
import classes from './command.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  risk: ApprovalRequest['risk'];
  /** The numbered parts of the command line. */
  parts: readonly Numbered[];
}

/** Why a call has its risk: what its parts do, and any other reasons. */
export function Effects({ risk, parts }: Props) {
  const told = new Set(parts.flatMap(({ part }) => part.does ?? []));
  const rest = (risk?.reasons ?? []).filter((reason) => !told.has(reason));
  const short = shortReasons(risk); // already shown beside the risk
  if (parts.length === 0 && rest.every((reason) => short.includes(reason))) return null;
  return (
    <div data-testid="effects">
      <h3 className={classes.partsTitle}>{texts.card.why(risk?.level)}</h3>
      <ul className={`${shared.list} ${classes.list}`}>
        {parts.map(({ n, part, at }) => (
          <li key={n} className={classes.part}>
            <span className={classes.number} data-level={part.risk} data-n={n} />
            <span>
              <Revealed text={`${capitalised((part.does ?? []).join(', '))}.`} />
              {!at && (
                <code className={classes.partText}>
                  <CommandText text={part.text} />
                </code>
              )}
            </span>
          </li>
        ))}
        {rest.map((reason) => (
          <li key={reason} className={classes.part}>
            <span className={classes.number} data-level={risk?.level} data-n="•" />
            <span>
              <Revealed text={`${capitalised(reason)}.`} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
