import { ranAs } from '../request/ranAs';
import { pretty } from '../wire/json';
import type { ApprovalResponse } from '../wire/wire';
import { texts } from '../words/texts';
import { Caption, LongBlock } from './Block';
import shared from './shared.module.css';

/** What ran instead of the arguments: what a person changed, or a line as it was read. */
export function EditShown({ response }: { response: ApprovalResponse }) {
  if (response.edit === undefined) return null;
  const line = ranAs(response);
  if (line === undefined) {
    return (
      <div>
        <Caption title={texts.call.edited} note="JSON" />
        <LongBlock text={pretty(response.edit)} label={texts.call.edited} />
      </div>
    );
  }
  return (
    <details className={shared.disclosure} data-testid="ran-as">
      <summary>{texts.call.ranAs}</summary>
      <LongBlock text={line} label={texts.call.ranAs} />
    </details>
  );
}
