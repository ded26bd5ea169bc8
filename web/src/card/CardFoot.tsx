import { isObject } from '../wire/json';
import { useStore } from '../store/store';
import { may, type ApprovalRequest, type CoverKind } from '../wire/wire';
import classes from './card.module.css';
import { EditArguments } from '../edit/EditArguments';
import { SuggestRule } from './SuggestRule';

interface Props {
  request: ApprovalRequest;
  unseen: string | false;
  onAlways: (kind: CoverKind) => void;
}

/** Further actions on a call, below everything that has to be seen and above the answer bar. */
export function CardFoot({ request, unseen, onAlways }: Props) {
  const answers = useStore((s) => may(s.identity, 'answer'));
  if (request.type !== 'tool_confirmation') return null;
  return (
    <div className={classes.foot}>
      {answers && request.editable && isObject(request.args) && (
        <EditArguments request={request} args={request.args} unseen={unseen} />
      )}
      <SuggestRule request={request} onAlways={onAlways} />
    </div>
  );
}
