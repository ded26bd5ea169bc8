import { Loader } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import { texts } from './texts';
import type { ApprovalRequest, CoverKind, Suggestion } from '../wire/wire';
import { Suggestions } from '../grants/Suggestions';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { DialogButton } from '../ui/DialogButton';
import { Remark } from '../ui/Remark';

type Found = { list: Suggestion[] } | { error: string };

interface Props {
  request: ApprovalRequest;
  /** Opens the choice of what to approve in every session, at this coverage; nothing is approved by it. */
  onAlways: (kind: CoverKind) => void;
}

/**
 * What would spare people this question: at once, as a standing approval, or as a rule. It stands in a
 * window of its own: what is fetched late must not push a card's buttons about.
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
      <p className={shared.quiet}>{list.some((s) => stands(s.covers.kind)) ? t.body : t.bodyFile}</p>
      <Suggestions
        list={list}
        agentId={request.agentId}
        always={({ covers }) => (stands(covers.kind) ? () => onAlways(covers.kind) : undefined)}
      />
    </>
  );
}
