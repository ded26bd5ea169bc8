import { Checkbox } from '@mantine/core';
import { isMembers } from '../edit/mergePatch';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalRequest } from '../wire/wire';
import classes from './card.module.css';
import { EditArguments } from '../edit/EditArguments';
import { SuggestRule } from './SuggestRule';

export interface Tick {
  on: boolean;
  set: (on: boolean) => void;
}

interface Props {
  request: ApprovalRequest;
  unseen: string | false;
  tick?: Tick;
}

/** What else can be done with a call. It stands last, below all that has to be seen. */
export function CardFoot({ request, unseen, tick }: Props) {
  const answers = useStore((s) => may(s.identity, 'answer'));
  if (request.type !== 'tool_confirmation') return null;
  const seen = unseen === false;
  return (
    <div className={classes.foot}>
      {tick && answers && (
        <Checkbox
          className={classes.tick}
          size="sm"
          label={texts.batch.tick}
          checked={tick.on}
          disabled={!seen}
          onChange={(e) => tick.set(e.currentTarget.checked)}
        />
      )}
      <span className={classes.spring} />
      {answers && isMembers(request.args) && (
        <EditArguments request={request} args={request.args} unseen={unseen} />
      )}
      <SuggestRule request={request} />
    </div>
  );
}
