import { describeRule } from '../request/rule';
import type { ApprovalRequest } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import { texts } from './texts';
import classes from './card.module.css';

/** Why a person is asked, in which round, and how often nobody has answered. */
export function WhyAsked({ request, past = false }: { request: ApprovalRequest; past?: boolean }) {
  const { policy, round, unanswered } = request;
  const t = texts.card;
  if (!policy?.rule && !round && !unanswered) return null;
  return (
    <div className={classes.why}>
      <h3>{past ? t.ruleThen : t.rule}</h3>
      {policy?.rule && (
        <p>
          <Revealed text={`${describeRule(policy.rule)}.`} mode="prose" />
        </p>
      )}
      {round ? <p>{t.roundText(round)}</p> : null}
      {unanswered ? <p>{t.unanswered(unanswered)}</p> : null}
    </div>
  );
}
