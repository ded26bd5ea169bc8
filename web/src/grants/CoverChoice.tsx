import { Button, NativeSelect, Radio } from '@mantine/core';
import { IconChecks, IconChevronRight } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { texts } from './texts';
import type { ApprovalRequest, Coverage, GrantTerms } from '../wire/wire';
import { useArmed, useMoves } from '../answer/arming';
import classes from './choice.module.css';
import shared from '../ui/shared.module.css';
import { CoverageDetail } from './Coverage';
import { ApproveButton } from '../answer/ApproveButton';
import { Revealed } from '../ui/Revealed';
import type { ConfirmationState } from '../answer/useConfirmation';

interface Props {
  id: string;
  request: ApprovalRequest;
  place: string;
  confirmation: ConfirmationState;
  disabled: boolean;
  onApprove: (grant: GrantTerms) => void;
  onBack: () => void;
}

/** What an approval for the session remembers; the narrowest is chosen at first. */
export function CoverChoice({ id, request, place, confirmation, disabled, onApprove, onBack }: Props) {
  const offered = offers(request);
  const [kind, setKind] = useState(offered[0]!.kind);
  const [limiting, setLimiting] = useState(false);
  const [seconds, setSeconds] = useState('');
  const [uses, setUses] = useState('');
  const box = useRef<HTMLElement>(null);
  const { moves, still } = useMoves(box);
  const armed = useArmed(`${place}|${kind}|${limiting}|${seconds}|${uses}|${moves}`);
  const chosen = offered.find((c) => c.kind === kind) ?? offered[0]!;
  const t = texts.choice;
  const approve = () =>
    onApprove({
      covers: chosen.kind,
      ...(seconds ? { seconds: Number(seconds) } : {}),
      ...(uses ? { uses: Number(uses) } : {}),
    });
  return (
    <section className={classes.choice} id={id} aria-label={t.region} data-testid="choice" ref={box}>
      <Radio.Group label={t.title} value={chosen.kind} onChange={(v) => setKind(v as Coverage['kind'])}>
        <div className={classes.options}>
          {offered.map((covers) => (
            <div key={covers.kind} className={classes.option} data-chosen={covers === chosen || undefined}>
              <Radio
                value={covers.kind}
                disabled={disabled}
                classNames={{ body: classes.radio, labelWrapper: classes.radioText }}
                label={<Revealed text={covers.text} />}
              />
              <div className={classes.detail}>
                <CoverageDetail covers={covers} />
                {covers.kind === 'tool' && <p className={classes.warn}>{t.wholeTool}</p>}
              </div>
            </div>
          ))}
        </div>
      </Radio.Group>
      <div>
        <Button
          type="button"
          size="compact-sm"
          variant="subtle"
          color="gray"
          className={classes.more}
          aria-expanded={limiting}
          leftSection={<IconChevronRight size={15} className={classes.chevron} aria-hidden />}
          onClick={() => setLimiting(!limiting)}
        >
          {t.limits}
        </Button>
        {limiting && (
          <Limits seconds={seconds} uses={uses} disabled={disabled} onSeconds={setSeconds} onUses={setUses} />
        )}
      </div>
      <p className={classes.summary} aria-live="polite" data-testid="summary">
        <Revealed text={t.summary(request.agentId, request.toolName ?? '')} />{' '}
        <strong>
          <Revealed text={chosen.text} />
        </strong>
        {', '}
        {t.until(seconds && labelOf(t.times, seconds), Number(uses))}
      </p>
      <div className={`${shared.buttons} ${classes.buttons}`}>
        <ApproveButton
          confirmation={confirmation}
          armed={armed}
          still={still}
          disabled={disabled}
          act={approve}
        >
          <IconChecks size={18} aria-hidden /> {t.approve}
        </ApproveButton>
        <Button type="button" variant="subtle" color="gray" className={classes.back} onClick={onBack}>
          {t.back}
        </Button>
      </div>
    </section>
  );
}

interface LimitsProps {
  seconds: string;
  uses: string;
  disabled: boolean;
  onSeconds: (seconds: string) => void;
  onUses: (uses: string) => void;
}

function Limits({ seconds, uses, disabled, onSeconds, onUses }: LimitsProps) {
  const t = texts.choice;
  return (
    <div className={classes.limits}>
      <NativeSelect
        label={t.seconds}
        data={t.times}
        value={seconds}
        disabled={disabled}
        onChange={(e) => onSeconds(e.currentTarget.value)}
      />
      <NativeSelect
        label={t.uses}
        data={t.counts}
        value={uses}
        disabled={disabled}
        onChange={(e) => onUses(e.currentTarget.value)}
      />
    </div>
  );
}

function labelOf(list: { value: string; label: string }[], value: string): string {
  return list.find((item) => item.value === value)?.label ?? '';
}

// A request that offers nothing by name can still be remembered to the letter.
function offers(request: ApprovalRequest): Coverage[] {
  return request.covers?.length ? request.covers : [{ kind: 'exact', text: texts.choice.exactly }];
}
