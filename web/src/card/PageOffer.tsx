import { IconExternalLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { onlyAddress } from '../wire/address';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalRequest } from '../wire/wire';
import { useArmed } from '../answer/arming';
import classes from './card.module.css';
import answer from '../answer/answer.module.css';
import shared from '../ui/shared.module.css';
import { DecisionButton } from '../answer/DecisionButton';
import { LinkTarget, openInNewTab } from '../ui/LinkTarget';

/**
 * The page that a server wants a person to visit. Addresses in its words can't
 * be clicked; one is opened from here, where it says whereto.
 */
export function PageOffer({ request, place }: { request: ApprovalRequest; place: string }) {
  const address = useMemo(() => onlyAddress(request.message ?? ''), [request.message]);
  const identity = useStore((s) => s.identity);
  const armed = useArmed(place);
  const t = texts.server;
  if (!address || !may(identity, 'answer')) return null;
  return (
    <section className={classes.page} aria-label={t.page} data-testid="page-offer">
      <LinkTarget address={address} />
      <div className={`${shared.buttons} ${answer.buttons}`}>
        <DecisionButton armed={armed} disabled={false} look="aside" act={() => openInNewTab(address)}>
          <IconExternalLink size={17} aria-hidden /> {t.openPage}
        </DecisionButton>
      </div>
      <p className={shared.quiet}>{t.openNote}</p>
    </section>
  );
}
