import { Modal } from '@mantine/core';
import { useContext, useId, useState } from 'react';
import { api, type Tried } from '../wire/api';
import { parseJSON } from '../wire/json';
import { StoreContext } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest, Coverage, Explained, Grant, GrantTerms } from '../wire/wire';
import { CoverChoice } from './CoverChoice';
import { Remark } from '../ui/Remark';
import { TypedName } from '../answer/TypedName';
import { useConfirmation } from '../answer/useConfirmation';
import classes from './suggestions.module.css';

interface Props {
  call: Tried;
  what: Explained;
  covers: Coverage;
  onAllowed: (grant: Grant) => void;
  onClose: () => void;
}

/** Lets calls run in every session before one is made: as hard to do as approving one. */
export function AllowDialog({ call, what, covers, onAllowed, onClose }: Props) {
  const store = useContext(StoreContext);
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  const request = asRequest(call, what, covers);
  const confirmation = useConfirmation(request);
  const t = texts.allow;
  const allow = async (terms: GrantTerms) => {
    setBusy(true);
    setFailed(undefined);
    try {
      const grant = await api.give(call, what.offer ?? '', terms);
      store.dispatch({ type: 'grants', grants: [grant] });
      onAllowed(grant);
    } catch (error) {
      setFailed((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t.title} size="lg" closeButtonProps={{ 'aria-label': t.close }}>
      <div className={classes.allow} data-testid="allow">
        <TypedName confirmation={confirmation} disabled={busy} />
        <CoverChoice
          id={id}
          request={request}
          place=""
          confirmation={confirmation}
          disabled={busy || !confirmation.confirmed}
          standing
          beforehand
          onApprove={(terms) => void allow(terms)}
          onBack={onClose}
        />
        {failed && <Remark tone="error">{t.failed(failed)}</Remark>}
      </div>
    </Modal>
  );
}

/** The call as the request that it would be. */
function asRequest(call: Tried, what: Explained, covers: Coverage): ApprovalRequest {
  return {
    approvalId: '',
    sessionId: '',
    argsDigest: '',
    requestedAt: '',
    rev: 0,
    type: 'tool_confirmation',
    agentId: call.agentId,
    toolName: call.toolName,
    args: parseJSON(call.args),
    scopes: ['once', 'session', 'always'],
    covers: [covers],
    ...(what.standingSeconds !== undefined && { standingSeconds: what.standingSeconds }),
    ...(what.risk && { risk: what.risk }),
    ...(what.commands && { commands: what.commands }),
    ...(what.workingDirectory && { workingDirectory: what.workingDirectory }),
  };
}
