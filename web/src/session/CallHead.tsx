import { IconMessageQuestion, IconTool } from '@tabler/icons-react';
import { argumentBlocks, formatBytes, type ArgumentBlocks } from '../request/arguments';
import { Text } from '../call/Arguments';
import { changeOf } from '../call/change';
import { texts } from './texts';
import type { CallItem } from './buildTranscript';
import type { ApprovalRequest } from '../wire/wire';
import { Caption, LongBlock } from '../ui/Block';
import classes from './session.module.css';
import call from '../call/arguments.module.css';
import shared from '../ui/shared.module.css';
import { PastChange } from '../call/DiffView';
import { Revealed } from '../ui/Revealed';

interface Props {
  item: CallItem;
  request: ApprovalRequest | undefined; // the newest that was made for it
}

/** What a call was. */
export function CallHead({ item, request }: Props) {
  const blocks = argumentBlocks(item.call.args);
  const single =
    blocks.plain.length === 1 && blocks.json.split('\n').length <= 3 ? blocks.plain[0] : undefined;
  const change = request && changeOf(request);
  const title = (
    <h2 className={classes.callTitle}>
      <IconTool size={16} aria-hidden />
      <code>
        <Revealed text={item.call.toolName} />
      </code>
    </h2>
  );
  if (change) {
    return (
      <>
        {title}
        <PastChange request={request} />
        <AllArguments blocks={blocks} />
      </>
    );
  }
  if (request?.type === 'elicitation') {
    return (
      <>
        <h2 className={classes.callTitle}>
          <IconMessageQuestion size={17} aria-hidden /> {texts.decision.question}
        </h2>
        <p className={classes.words}>
          <Revealed text={request.message ?? ''} />
        </p>
      </>
    );
  }
  return (
    <>
      {title}
      {single && (
        <div>
          {single.name && <Caption name={single.name} />}
          <LongBlock text={single.text} label={texts.call.arguments} />
        </div>
      )}
      {!single && !blocks.empty && <LongBlock text={blocks.json} label={texts.call.arguments} />}
    </>
  );
}

function AllArguments({ blocks }: { blocks: ArgumentBlocks }) {
  return (
    <details className={`${shared.disclosure} ${call.raw}`}>
      <summary>{texts.diff.arguments(formatBytes(blocks.bytes))}</summary>
      <Text text={blocks.json} label={texts.call.arguments} />
    </details>
  );
}
