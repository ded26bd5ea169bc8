import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './inbox.module.css';
import shared from '../ui/shared.module.css';
import { CardTitle } from '../card/CardTitle';
import { DecisionLine } from '../ui/DecisionLine';

/** What is left in the place of a card that was answered, so that nothing moves. */
export function AnsweredCard({ request, height }: { request: ApprovalRequest; height?: number }) {
  const settled = useStore((s) => s.settled[request.approvalId]);
  return (
    <div className={classes.gone} style={height ? { minHeight: height } : undefined} data-testid="gone">
      <p className={classes.goneTitle}>
        <CardTitle request={request} />
      </p>
      {settled?.response ? (
        <DecisionLine response={settled.response} request={request} />
      ) : (
        <p className={shared.quiet}>{texts.queue.goneElsewhere}</p>
      )}
    </div>
  );
}
