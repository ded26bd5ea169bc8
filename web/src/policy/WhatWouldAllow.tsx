import { Loader } from '@mantine/core';
import { useState } from 'react';
import type { Tried } from '../wire/api';
import { mayApprove } from '../request/approvers';
import { useStore } from '../store/store';
import { texts } from './texts';
import {
  may,
  type ApprovalRequest,
  type Coverage,
  type Explained,
  type Grant,
  type Suggestion,
} from '../wire/wire';
import { AllowDialog } from '../grants/AllowDialog';
import { Suggestions } from '../grants/Suggestions';
import { NearestRule } from './NearestRule';
import { Remark } from '../ui/Remark';
import classes from './tryCall.module.css';

interface Props {
  call: Tried;
  what: Explained;
  suggestions: readonly Suggestion[] | undefined;
  onAllowed: (grant: Grant) => void;
}

/** How a call that asks could run: the rule that comes nearest, and rules and standing approvals that would allow it. */
export function WhatWouldAllow({ call, what, suggestions, onAllowed }: Props) {
  const identity = useStore((s) => s.identity);
  const [choosing, setChoosing] = useState<Coverage>();
  const cleared = mayApprove(identity, { approvers: what.approvers ?? [] } as ApprovalRequest);
  const stands = (kind: Coverage['kind']) =>
    may(identity, 'answer') &&
    cleared &&
    (what.standingSeconds ?? 0) > 0 &&
    what.covers?.find((c) => c.kind === kind);
  const t = texts.tryCall;
  return (
    <>
      {what.nearest && <NearestRule nearest={what.nearest} />}
      {!suggestions && (
        <Remark tone="quiet">
          <Loader size={14} aria-hidden /> {t.looking}
        </Remark>
      )}
      {suggestions && suggestions.length > 0 && (
        <div className={classes.part}>
          <h3>{t.instead}</h3>
          <Suggestions
            list={suggestions}
            agentId={call.agentId}
            always={({ covers }) => {
              const offered = stands(covers.kind);
              return offered ? () => setChoosing(offered) : undefined;
            }}
          />
        </div>
      )}
      {suggestions?.length === 0 && what.smallest && (
        <div className={classes.part}>
          <h3>{t.smallest}</h3>
          <Suggestions list={[what.smallest]} agentId={call.agentId} />
        </div>
      )}
      {choosing && (
        <AllowDialog
          call={call}
          what={what}
          covers={choosing}
          onClose={() => setChoosing(undefined)}
          onAllowed={(grant) => {
            setChoosing(undefined);
            onAllowed(grant);
          }}
        />
      )}
    </>
  );
}
