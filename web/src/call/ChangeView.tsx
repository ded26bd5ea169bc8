import { formatBytes, type ArgumentBlocks } from '../request/arguments';
import type { Change } from './change';
import { pretty } from '../wire/json';
import { texts } from '../words/texts';
import type { ApprovalRequest } from '../wire/wire';
import { Arguments } from './Arguments';
import { Block, Caption } from '../ui/Block';
import classes from './arguments.module.css';
import shared from '../ui/shared.module.css';
import { DiffView } from './DiffView';

interface Props {
  request: ApprovalRequest;
  change: Change;
  blocks: ArgumentBlocks;
  expanded: boolean;
  onExpand: () => void;
  onOpenArguments: () => void;
}

/** The change that waits, with what the diff does not tell; the arguments as they are on demand. */
export function ChangeView({ request, change, blocks, expanded, onExpand, onOpenArguments }: Props) {
  const { rest, ...shown } = change;
  const t = texts.diff;
  return (
    <div className={classes.arguments}>
      <DiffView {...shown} expanded={expanded} onExpand={onExpand} />
      {Object.keys(rest).length > 0 && (
        <div>
          <Caption title={t.rest} note="JSON" />
          <Block text={pretty(rest)} label={t.rest} />
        </div>
      )}
      <details
        className={`${shared.disclosure} ${classes.raw}`}
        onToggle={(e) => e.currentTarget.open && onOpenArguments()}
      >
        <summary>{t.arguments(formatBytes(blocks.bytes))}</summary>
        <Arguments args={request.args} blocks={blocks} expanded onExpand={() => undefined} asText />
      </details>
    </div>
  );
}
