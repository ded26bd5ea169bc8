import { Checkbox } from '@mantine/core';
import { isObject } from '../wire/json';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalRequest, type CoverKind } from '../wire/wire';
import classes from './card.module.css';
import { EditArguments } from '../edit/EditArguments';
import { SuggestRule } from './SuggestRule';

export interface Selectable {
  on: boolean;
  set: (on: boolean) => void;
}

interface Props {
  request: ApprovalRequest;
  unseen: string | false;
  selectable?: Selectable;
  onAlways: (kind: CoverKind) => void;
}

/** What else can be done with a call. It stands below all that has to be seen, above the bar that answers. */
export function CardFoot({ request, unseen, selectable, onAlways }: Props) {
  const answers = useStore((s) => may(s.identity, 'answer'));
  if (request.type !== 'tool_confirmation') return null;
  const seen = unseen === false;
  return (
    <div className={classes.foot}>
      {selectable && answers && (
        <Checkbox
          className={classes.select}
          size="sm"
          label={texts.batch.select}
          checked={selectable.on}
          disabled={!seen}
          onChange={(e) => selectable.set(e.currentTarget.checked)}
        />
      )}
      <span className={classes.spring} />
      {answers && request.editable && isObject(request.args) && (
        <EditArguments request={request} args={request.args} unseen={unseen} />
      )}
      <SuggestRule request={request} onAlways={onAlways} />
    </div>
  );
}
