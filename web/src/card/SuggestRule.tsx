import { Button, Loader } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import { texts } from './texts';
import type { ApprovalRequest, Suggestion } from '../wire/wire';
import { Block } from '../ui/Block';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { DialogButton } from '../ui/DialogButton';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

type Found = { list: Suggestion[] } | { error: string };

const most = 3;

/**
 * Rules that would spare people this question. They stand in a window of their
 * own: what is fetched late must not push a card's buttons about.
 */
export function SuggestRule({ request }: { request: ApprovalRequest }) {
  const [found, setFound] = useState<Found>();
  const t = texts.suggest;
  const look = () => {
    setFound(undefined);
    api.suggestions(request.approvalId).then(
      (list) => setFound({ list }),
      (error: unknown) => setFound({ error: (error as Error).message }),
    );
  };
  return (
    <DialogButton
      label={t.open}
      icon={<IconFileText size={15} aria-hidden />}
      title={t.title}
      size="lg"
      closeLabel={t.close}
      onOpen={look}
    >
      {() => (
        <div className={classes.suggestions} data-testid="suggestions">
          <p className={shared.quiet}>{t.body}</p>
          {!found && (
            <Remark tone="quiet">
              <Loader size={14} aria-hidden /> {t.loading}
            </Remark>
          )}
          {found && 'error' in found && <Remark tone="error">{t.failed(found.error)}</Remark>}
          {found && 'list' in found && <Rules list={found.list} agentId={request.agentId} />}
        </div>
      )}
    </DialogButton>
  );
}

function Rules({ list, agentId }: { list: Suggestion[]; agentId: string }) {
  const t = texts.suggest;
  if (list.length === 0) return <p className={classes.lone}>{t.none}</p>;
  return (
    <>
      {list.slice(0, most).map((suggestion, i) => (
        <Rule key={i} suggestion={suggestion} name={t.rule(i + 1)} />
      ))}
      <p className={classes.lone}>
        <Revealed text={t.where(agentId)} mode="prose" />
      </p>
    </>
  );
}

function Rule({ suggestion, name }: { suggestion: Suggestion; name: string }) {
  const clipboard = useClipboard({ timeout: 2500 });
  const t = texts.suggest;
  return (
    <section className={classes.rule} aria-label={name}>
      <div className={classes.ruleHead}>
        <strong>
          <Revealed text={suggestion.covers.text} />
        </strong>
        <Button
          type="button"
          size="compact-sm"
          variant="default"
          leftSection={
            clipboard.copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />
          }
          onClick={() => clipboard.copy(suggestion.rule)}
        >
          {clipboard.copied ? t.copied : t.copy}
        </Button>
      </div>
      <Block text={suggestion.rule.trimEnd()} label={name} />
      <p className={`${shared.quiet} ${classes.matched}`} data-denied={suggestion.denied > 0 || undefined}>
        {t.matched(suggestion.matched, suggestion.denied)}
      </p>
      {clipboard.error && <Remark tone="warn">{t.copyFailed}</Remark>}
    </section>
  );
}
