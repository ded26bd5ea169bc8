import { useState } from 'react';
import { formatBytes } from '../request/arguments';
import type { Change } from './change';
import { pretty } from '../wire/json';
import { texts } from '../words/texts';
import type { ApprovalRequest } from '../wire/wire';
import { Arguments, Text } from './Arguments';
import { Caption } from '../ui/Block';
import classes from './arguments.module.css';
import shared from '../ui/shared.module.css';
import { DiffView } from './DiffView';
import type { Seeing } from './useSeeing';

interface Props {
  request: ApprovalRequest;
  change: Change;
  seeing: Seeing;
}

/** The change that waits, with what the diff does not tell; the arguments as they are on demand. */
export function ChangeView({ request, change, seeing }: Props) {
  const { rest } = change;
  const { blocks, onRead } = seeing;
  const [raw, setRaw] = useState(false);
  const t = texts.diff;
  return (
    <div className={classes.arguments}>
      <DiffView
        state={seeing.state}
        change={change}
        opened={seeing.expanded}
        onOpen={seeing.expand}
        onRead={() => onRead('diff')}
      />
      {Object.keys(rest).length > 0 && (
        <div>
          <Caption title={t.rest} note="JSON" />
          <Text text={pretty(rest)} label={t.rest} onRead={() => onRead('rest')} />
        </div>
      )}
      <details
        className={`${shared.disclosure} ${classes.raw}`}
        onToggle={(e) => {
          setRaw(e.currentTarget.open);
          if (e.currentTarget.open) onRead('opened');
        }}
      >
        <summary>{t.arguments(formatBytes(blocks.bytes))}</summary>
        {raw && (
          <Arguments
            args={request.args}
            blocks={blocks}
            expanded
            onExpand={() => undefined}
            onRead={(part) => onRead(`raw ${part}`)}
            asText
          />
        )}
      </details>
    </div>
  );
}
