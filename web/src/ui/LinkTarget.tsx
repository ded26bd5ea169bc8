import { isAsWritten, type Address } from '../wire/address';
import { texts } from '../words/texts';
import { Block } from './Block';
import classes from './linkTarget.module.css';
import { Revealed } from './Revealed';

/** Opens an address in a tab that knows nothing of this one. */
export function openInNewTab({ href }: Address): void {
  window.open(href, '_blank', 'noopener,noreferrer');
}

/** Where an address leads, before it is opened. */
export function LinkTarget({ address }: { address: Address }) {
  const t = texts.clientTools;
  return (
    <>
      <p className={classes.host}>
        {t.leadsTo}{' '}
        <strong>
          <Revealed text={address.host} />
        </strong>
      </p>
      <Block text={address.href} label={t.leadsTo} />
      {!isAsWritten(address) && (
        <div>
          <p className={classes.host}>{t.written}</p>
          <Block text={address.written} label={t.written} />
        </div>
      )}
    </>
  );
}
