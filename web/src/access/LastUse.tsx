import { lastUse } from '../words/times';
import { texts } from './texts';
import classes from './access.module.css';

/** When a login or token was last used. */
export function LastUse({ at, now }: { at: string | undefined; now: number }) {
  if (!at) return <>{texts.accessPage.neverUsed}</>;
  const words = lastUse(Date.parse(at), now);
  return (
    <time dateTime={at} className={words === 'now' ? classes.now : undefined}>
      {words}
    </time>
  );
}
