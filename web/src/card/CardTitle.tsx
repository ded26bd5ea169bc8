import { askerOf, isFromServer } from '../request/asker';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './card.module.css';
import { Revealed } from '../ui/Revealed';

/** Who wants what. */
export function CardTitle({ request }: { request: ApprovalRequest }) {
  const asker = <Revealed text={askerOf(request)} />;
  if (request.type === 'elicitation' || !request.toolName) {
    return (
      <>
        {asker}
        <span className={classes.wants}>
          {isFromServer(request) && <Revealed text={texts.server.about(request.agentId)} />}{' '}
          {texts.question.asks}
        </span>
      </>
    );
  }
  return (
    <>
      {asker} <span className={classes.wants}>{texts.card.wants}</span>{' '}
      <code className={classes.tool}>
        <Revealed text={request.toolName} />
      </code>
    </>
  );
}
