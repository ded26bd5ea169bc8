import { Button, Loader } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconChecks, IconCopy, IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import { texts } from './texts';
import type { ApprovalRequest, CoverKind, Suggestion } from '../wire/wire';
import { Block } from '../ui/Block';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { DialogButton } from '../ui/DialogButton';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

type Found = { list: Suggestion[] } | { error: string };

const most = 3;

interface Props {
  request: ApprovalRequest;
  /** Opens the choice of what to approve in every session, at this coverage; nothing is approved by it. */
  onAlways: (kind: CoverKind) => void;
}

/**
 * Rules that would spare people this question. They stand in a window of their
 * own: what is fetched late must not push a card's buttons about.
 */
export function SuggestRule({ request, onAlways }: Props) {
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
      {(close) => (
        <div className={classes.suggestions} data-testid="suggestions">
          <p className={shared.quiet}>{t.body}</p>
          {!found && (
            <Remark tone="quiet">
              <Loader size={14} aria-hidden /> {t.loading}
            </Remark>
          )}
          {found && 'error' in found && <Remark tone="error">{t.failed(found.error)}</Remark>}
          {found && 'list' in found && (
            <Rules
              list={found.list}
              request={request}
              onAlways={(kind) => {
                close();
                onAlways(kind);
              }}
            />
          )}
        </div>
      )}
    </DialogButton>
  );
}

function Rules({ list, request, onAlways }: Props & { list: Suggestion[] }) {
  const t = texts.suggest;
  const stands = (kind: CoverKind) =>
    request.scopes.includes('always') && request.covers?.some((c) => c.kind === kind);
  if (list.length === 0) return <p className={classes.lone}>{t.none}</p>;
  return (
    <>
      {list.slice(0, most).map((suggestion, i) => (
        <Rule
          key={i}
          suggestion={suggestion}
          name={t.rule(i + 1)}
          onAlways={stands(suggestion.covers.kind) && (() => onAlways(suggestion.covers.kind))}
        />
      ))}
      <p className={classes.lone}>
        <Revealed text={t.where(request.agentId)} mode="prose" />
      </p>
    </>
  );
}

interface RuleProps {
  suggestion: Suggestion;
  name: string;
  onAlways: false | undefined | (() => void);
}

function Rule({ suggestion, name, onAlways }: RuleProps) {
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
        {t.matched(suggestion)}
      </p>
      {onAlways && (
        <Button
          type="button"
          size="compact-sm"
          variant="default"
          leftSection={<IconChecks size={15} aria-hidden />}
          onClick={onAlways}
        >
          {texts.card.approveEverywhere}
        </Button>
      )}
      {clipboard.error && <Remark tone="warn">{t.copyFailed}</Remark>}
    </section>
  );
}
