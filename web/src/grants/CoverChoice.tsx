import { Button, NativeSelect, Radio } from '@mantine/core';
import { IconChecks, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
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
  /** For every session of the agent in the same folder, and not for this one alone. */
  standing: boolean;
  kind?: Coverage['kind'] | undefined; // chosen at first; else the narrowest
  /** No call waits for it: it is allowed before one is made. */
  beforehand?: boolean;
  onApprove: (grant: GrantTerms) => void;
  onBack: () => void;
}

/** What an approval for the session, or for every session, remembers; the narrowest is chosen at first. */
export function CoverChoice({
  id,
  request,
  place,
  confirmation,
  disabled,
  standing,
  kind: first,
  beforehand = false,
  onApprove,
  onBack,
}: Props) {
  const offered = offers(request);
  const [kind, setKind] = useState(first ?? offered[0]!.kind);
  const [limiting, setLimiting] = useState(false);
  const [seconds, setSeconds] = useState('');
  const [uses, setUses] = useState('');
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    void box.current?.scrollIntoView({ block: 'nearest' }); // the bar would cover it
  }, []);
  const { moves, still } = useMoves(box);
  const armed = useArmed(`${place}|${kind}|${limiting}|${seconds}|${uses}|${moves}`);
  const chosen = offered.find((c) => c.kind === kind) ?? offered[0]!;
  const t = texts.choice;
  const where = texts.grants.everywhere(request.agentId, request.workingDirectory);
  const times = timesFor(request, standing);
  const long = labelOf(times, seconds);
  const approve = () =>
    onApprove({
      covers: chosen.kind,
      ...(seconds ? { seconds: Number(seconds) } : {}),
      ...(uses ? { uses: Number(uses) } : {}),
    });
  return (
    <section
      className={classes.choice}
      id={id}
      aria-label={standing ? t.regionEverywhere : t.region}
      data-testid="choice"
      ref={box}
    >
      <Radio.Group
        label={standing ? <Revealed text={t.titleEverywhere(where)} /> : t.title}
        value={chosen.kind}
        onChange={(v) => setKind(v as Coverage['kind'])}
      >
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
          <Limits
            times={times}
            seconds={seconds}
            uses={uses}
            disabled={disabled}
            onSeconds={setSeconds}
            onUses={setUses}
          />
        )}
      </div>
      <p className={classes.summary} aria-live="polite" data-testid="summary">
        <Revealed
          text={(beforehand ? t.summaryBeforehand : t.summary)(request.agentId, request.toolName ?? '')}
        />{' '}
        <strong>
          <Revealed text={chosen.text} />
        </strong>
        {', '}
        <Revealed
          text={
            standing ? t.untilEverywhere(where, long, Number(uses)) : t.until(seconds && long, Number(uses))
          }
        />
      </p>
      <div className={`${shared.buttons} ${classes.buttons}`}>
        <ApproveButton
          confirmation={confirmation}
          armed={armed}
          still={still}
          disabled={disabled}
          act={approve}
        >
          <IconChecks size={18} aria-hidden /> {beforehand ? texts.allow.act : t.approve}
        </ApproveButton>
        <Button type="button" variant="subtle" color="gray" className={classes.back} onClick={onBack}>
          {t.back}
        </Button>
      </div>
    </section>
  );
}

interface LimitsProps {
  times: Choice[];
  seconds: string;
  uses: string;
  disabled: boolean;
  onSeconds: (seconds: string) => void;
  onUses: (uses: string) => void;
}

function Limits({ times, seconds, uses, disabled, onSeconds, onUses }: LimitsProps) {
  const t = texts.choice;
  return (
    <div className={classes.limits}>
      <NativeSelect
        label={t.seconds}
        data={times}
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

interface Choice {
  value: string;
  label: string;
}

/** Shorter times than the longest that is offered, which stands first. */
function timesFor({ standingSeconds = 0 }: ApprovalRequest, standing: boolean): Choice[] {
  const [session, ...times] = texts.choice.times;
  if (!standing) return [session!, ...times.filter((time) => !time.standing)].map(bare);
  const shorter = times.filter((time) => Number(time.value) < standingSeconds).map(bare);
  return [{ value: '', label: texts.roughDuration(standingSeconds) }, ...shorter];
}

const bare = ({ value, label }: Choice): Choice => ({ value, label });

function labelOf(list: Choice[], value: string): string {
  return list.find((item) => item.value === value)?.label ?? '';
}

// A request that offers nothing by name can still be remembered to the letter.
function offers(request: ApprovalRequest): Coverage[] {
  return request.covers?.length ? request.covers : [{ kind: 'exact', text: texts.choice.exactly }];
}
