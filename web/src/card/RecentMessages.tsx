import { texts } from './texts';
import type { Said } from '../wire/wire';
import classes from './messagesAndViewers.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** What was said last before a call, as the gateway tells it. */
export function RecentMessages({ said }: { said: readonly Said[] | undefined }) {
  if (!said || said.length === 0) return null;
  const t = texts.card;
  return (
    <details className={`${shared.disclosure} ${classes.said}`} data-testid="said">
      <summary>{t.saidBefore(said.length)}</summary>
      <ol>
        {said.map(({ role, text, omitted }, i) => (
          <li key={i} data-role={role}>
            <span className={classes.saidBy}>{t.saidBy[role] ?? <Revealed text={role} />}</span>
            <p>
              <Revealed text={text} mode="prose" />
              {omitted ? <em> {t.saidOmitted(omitted)}</em> : null}
            </p>
          </li>
        ))}
      </ol>
    </details>
  );
}
