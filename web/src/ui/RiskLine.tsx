import {
  IconAlertOctagon,
  IconAlertTriangle,
  IconHelpCircle,
  IconInfoCircle,
  IconShield,
} from '@tabler/icons-react';
import { texts } from '../words/texts';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import { shortReasons } from '../request/risk';
import { capitalised } from '../words/plural';
import { Revealed } from './Revealed';
import classes from './risk.module.css';
import shared from './shared.module.css';

const icons: Record<RiskLevel, typeof IconShield> = {
  low: IconShield,
  medium: IconInfoCircle,
  high: IconAlertTriangle,
  critical: IconAlertOctagon,
};

/** How risky a call is, as a word and an icon as well as a colour, and why in a few words. */
export function RiskLine({ risk }: { risk: ApprovalRequest['risk'] }) {
  if (!risk?.level) return null;
  const Icon = icons[risk.level] ?? IconAlertOctagon;
  const reasons = shortReasons(risk);
  return (
    <div className={classes.risk} data-testid="risk" data-level={risk.level}>
      <span className={`${shared.pill} ${classes.badge}`}>
        <Icon size={16} aria-hidden />
        <Revealed text={texts.card.risks[risk.level] ?? texts.card.riskUnknown(risk.level)} />
      </span>
      {reasons.length > 0 && (
        <p className={classes.reasons}>
          <Revealed text={capitalised(reasons.join(', '))} />
        </p>
      )}
    </div>
  );
}

/** How risky, as a sign with its word for those who don't see it: for lists. */
export function RiskMark({ risk, word = false }: { risk: ApprovalRequest['risk']; word?: boolean }) {
  const level = risk?.level;
  const Icon = level ? (icons[level] ?? IconAlertOctagon) : IconHelpCircle;
  const words = level ? (texts.card.risks[level] ?? texts.card.riskUnknown(level)) : texts.queue.noRisk;
  return (
    <span className={classes.mark} data-level={level ?? 'none'} title={words}>
      <Icon size={17} aria-hidden />
      {word && <span aria-hidden>{level ? (texts.card.levels[level] ?? level) : ''}</span>}
      <span className={shared.visuallyHidden}>{words}</span>
    </span>
  );
}
