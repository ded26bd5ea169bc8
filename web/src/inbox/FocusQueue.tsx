import { Button } from '@mantine/core';
import { askerOf } from '../request/asker';
import { summaryOf } from '../request/arguments';
import { href } from '../browser/route';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './focus.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { RiskMark } from '../ui/RiskLine';

interface Props {
  list: readonly ApprovalRequest[];
  current: string;
  answered: ReadonlySet<string>;
  skipped: ReadonlySet<string>;
  /** How many that came in meanwhile are riskier than what stands before them. */
  below: number;
  onTidy: () => void;
}

// So many stand beside the card; with more, those around it.
const most = 30;

/** What waits, in short, beside the one that is shown. */
export function FocusQueue({ list, current, answered, skipped, below, onTidy }: Props) {
  const at = Math.max(
    0,
    list.findIndex((c) => c.approvalId === current),
  );
  const from = Math.max(0, Math.min(at - 8, list.length - most));
  const part = list.slice(from, from + most);
  const t = texts.focus;
  return (
    <aside className={classes.queue} aria-label={t.queue} data-testid="queue">
      <div className={classes.queueHead}>
        <h2>{t.queue}</h2>
        <span>{texts.queue.page(from + 1, from + part.length, list.length)}</span>
      </div>
      <ol className={`${shared.list} ${classes.rows}`}>
        {part.map((request) => {
          const id = request.approvalId;
          const note = answered.has(id) ? t.answered : skipped.has(id) ? t.skipped : '';
          return (
            <li key={id}>
              <a
                className={`${shared.navItem} ${classes.row}`}
                href={href({ view: 'waiting', approvalId: id })}
                aria-current={id === current ? 'true' : undefined}
                data-gone={answered.has(id) || undefined}
              >
                <RiskMark risk={request.risk} />
                <span className={classes.rowText}>
                  <span className={classes.rowTool}>
                    <Revealed text={request.toolName || texts.card.asksTitle} />
                    <small>
                      <Revealed text={askerOf(request)} />
                    </small>
                  </span>
                  <span className={`${shared.ellipsis} ${classes.rowArgs}`}>
                    <Revealed text={summaryOf(request)} />
                  </span>
                </span>
                {note && <span className={classes.rowNote}>{note}</span>}
              </a>
            </li>
          );
        })}
      </ol>
      {(below > 0 || answered.size > 0) && (
        <Button className={classes.tidy} variant="default" size="compact-sm" onClick={onTidy}>
          {below > 0 ? texts.queue.riskier(below) : texts.queue.tidyShort}
        </Button>
      )}
    </aside>
  );
}
