import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalResponse } from '../wire/wire';
import { RevokeResult } from './RevokeResult';
import { useRevoke } from './useRevoke';
import classes from './grants.module.css';

/** After an approval that lets more calls run: the way to take that back, as long as it holds. */
export function UndoGrant({ response }: { response: ApprovalResponse }) {
  const { grantId = '', by, status } = response;
  const grant = useStore((s) => s.grants[grantId]);
  const allowed = useStore((s) => may(s.identity, 'answer'));
  const { busy, result, revoke } = useRevoke();
  const gave = grantId !== '' && status === 'approved' && by?.via !== 'grant';
  if (!gave || !allowed) return null;
  return (
    <div className={classes.undo}>
      {!grant?.ended && !result && (
        <Button
          type="button"
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconArrowBackUp size={15} aria-hidden />}
          disabled={busy !== undefined}
          onClick={() => revoke(grantId)}
        >
          {texts.grants.undo}
        </Button>
      )}
      <RevokeResult result={result} />
    </div>
  );
}
