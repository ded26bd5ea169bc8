import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Tried } from '../wire/api';
import { texts } from './texts';
import type { Grant, Listed } from '../wire/wire';
import { GrantSentence } from '../grants/GrantSentence';
import { RevokeResult } from '../grants/RevokeResult';
import { useRevoke } from '../grants/useRevoke';
import { useTried } from './useTried';
import { Verdict } from './Verdict';
import { Remark } from '../ui/Remark';
import { WhatWouldAllow } from './WhatWouldAllow';
import classes from './tryCall.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  call: Tried | undefined;
  hint: string; // while there is none
  enter: number; // grows when an answer is wanted at once
  rules: readonly Listed[];
}

/** What would become of the call, and what would let it run. */
export function TriedResult({ call, hint, enter, rules }: Props) {
  const { told, error, suggestions, again } = useTried(call);
  const [given, setGiven] = useState<Grant>();
  const entered = useRef(enter);
  const t = texts.tryCall;
  useEffect(() => {
    if (entered.current !== enter) again();
    entered.current = enter;
  });
  return (
    <>
      <div role="status" data-testid="explained" className={classes.result}>
        {!call && hint && <p className={shared.quiet}>{hint}</p>}
        {call && !told && !error && <p className={shared.quiet}>{t.checking}</p>}
        {error && <Remark tone="error">{t.failed(error)}</Remark>}
        {call && told && <Verdict agentId={call.agentId} what={told} rules={rules} />}
      </div>
      {given && <Given key={given.grantId} grant={given} onUndone={again} />}
      {call && told?.effect === 'ask' && (
        <WhatWouldAllow
          call={call}
          what={told}
          suggestions={suggestions}
          onAllowed={(grant) => {
            setGiven(grant);
            again();
          }}
        />
      )}
    </>
  );
}

/** What has just been allowed, and the way back. */
function Given({ grant, onUndone }: { grant: Grant; onUndone: () => void }) {
  const { busy, result, revoke } = useRevoke(onUndone);
  const t = texts.tryCall;
  return (
    <div className={classes.given} data-testid="given">
      {!result && (
        <>
          <p role="status">
            {t.allowed} <GrantSentence grant={grant} />
          </p>
          <Button
            type="button"
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            disabled={busy !== undefined}
            onClick={() => revoke(grant.grantId)}
          >
            {t.undo}
          </Button>
        </>
      )}
      <RevokeResult result={result} />
    </div>
  );
}
