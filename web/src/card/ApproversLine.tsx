import { IconUsers } from '@tabler/icons-react';
import { describeRule } from '../request/rule';
import { mayApprove, sendersOf } from '../request/approvers';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import classes from './approvers.module.css';
import shared from '../ui/shared.module.css';

/** Who may approve a request, where not everybody may who answers. */
export function ApproversLine({ request }: { request: ApprovalRequest }) {
  const allowed = useStore((s) => mayApprove(s.identity, request));
  const demands = request.approvers ?? [];
  if (demands.length === 0) return null;
  const t = texts.approvers;
  const senders = sendersOf(request);
  const nobody = demands.some((d) => d.notSender) && senders.length === 0;
  return (
    <div className={classes.approvers} data-testid="approvers" data-allowed={allowed || undefined}>
      <p className={classes.approversHead}>
        <IconUsers size={16} aria-hidden /> {t.title}
      </p>
      <ul>
        {demands.map(({ rule, subjects = [], roles = [], notSender }, i) => (
          <li key={i} title={rule && describeRule(rule)}>
            <Revealed
              text={[
                subjects.length + roles.length > 0 ? t.who(subjects, roles) : t.anyone,
                notSender && t.notSender,
              ]
                .filter(Boolean)
                .join(', ')}
            />
          </li>
        ))}
      </ul>
      {senders.length > 0 && (
        <p className={shared.note}>
          <Revealed text={t.sentBy(senders)} />
        </p>
      )}
      {!allowed && <Remark tone="quiet">{nobody ? t.unknownSender : t.not}</Remark>}
    </div>
  );
}
