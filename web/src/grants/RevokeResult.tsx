import type { Revoked } from './useRevoke';
import { Revealed } from '../ui/Revealed';
import classes from './grants.module.css';

/** Always in the page, so that what comes into it is read out. */
export function RevokeResult({ result }: { result: Revoked | undefined }) {
  return (
    <p
      className={classes.result}
      data-failed={result?.failed || undefined}
      role={result?.failed ? 'alert' : 'status'}
      data-testid="revoked"
    >
      {result && <Revealed text={result.text} />}
    </p>
  );
}
