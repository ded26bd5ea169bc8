import { UnstyledButton } from '@mantine/core';
import { IconBan, IconCircleCheck, IconInbox } from '@tabler/icons-react';
import { Fragment, useId, useState } from 'react';
import { texts } from './texts';
import type { Effect, Listed } from '../wire/wire';
import type { RuleRow } from './ruleRows';
import { Block } from '../ui/Block';
import { Revealed } from '../ui/Revealed';
import { SentenceView } from '../ui/SentenceView';
import classes from './policy.module.css';
import shared from '../ui/shared.module.css';

const icons: Record<Effect, typeof IconBan> = { deny: IconBan, ask: IconInbox, allow: IconCircleCheck };

/** The sign of what is done about a call. */
export function EffectIcon({ effect, size }: { effect: Effect; size: number }) {
  const Icon = icons[effect] ?? IconInbox;
  return <Icon size={size} aria-hidden />;
}

interface Props {
  effect: Effect;
  rows: readonly RuleRow[];
}

/** The rules that do the same. */
export function RuleGroup({ effect, rows }: Props) {
  const id = useId();
  const t = texts.rulesPage;
  return (
    <section aria-labelledby={id} data-testid={`rules-${effect}`}>
      <div className={classes.groupHead} data-effect={effect}>
        <EffectIcon effect={effect} size={18} />
        <h2 id={id}>{t.groups[effect]}</h2>
        {effect === 'allow' && <span>{t.unread}</span>}
      </div>
      {rows.length === 0 ? (
        <p className={`${shared.panel} ${classes.none}`}>{t.none[effect]}</p>
      ) : (
        <ul className={`${shared.bare} ${shared.panel} ${classes.rules}`}>
          {rows.map((row) => (
            <Rule key={row.key} row={row} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Rule({ row }: { row: RuleRow }) {
  const { sentence, reason, sources } = row;
  const [open, setOpen] = useState(false);
  const id = useId();
  const t = texts.rulesPage;
  const written = sources.filter((source) => source.text);
  return (
    <li className={classes.rule} data-testid="rule">
      <div className={classes.line}>
        <div className={classes.sentence}>
          <p>
            <Agents names={row.agents} />
            {sentence && <SentenceView sentence={sentence} />}
          </p>
          {!sentence && <Block text={sources[0]?.text ?? ''} />}
          {reason && (
            <p className={classes.reason}>
              <Revealed text={t.reason(reason)} mode="prose" />
            </p>
          )}
        </div>
        {written.length > 0 && (
          <UnstyledButton
            className={classes.toYAML}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            {open ? t.hideYAML : t.showYAML}
          </UnstyledButton>
        )}
      </div>
      <div id={id}>{open && written.map((source, i) => <Written key={i} source={source} />)}</div>
    </li>
  );
}

function Agents({ names }: { names: readonly string[] }) {
  return names.map((name, i) => (
    <Fragment key={name}>
      {i > 0 && (i === names.length - 1 ? ` ${texts.rulesPage.and} ` : ', ')}
      <strong>
        <Revealed text={name} />
      </strong>
    </Fragment>
  ));
}

function Written({ source }: { source: Listed }) {
  const place = source.place ?? source.rule;
  return (
    <>
      <p className={classes.place}>
        <Revealed text={source.place ? `${source.place} · ${source.rule}` : source.rule} />
      </p>
      <Block text={(source.text ?? '').trimEnd()} label={texts.rulesPage.yaml(place)} />
    </>
  );
}
