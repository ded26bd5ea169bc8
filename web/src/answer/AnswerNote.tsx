import { Loader } from '@mantine/core';
import { texts } from '../words/texts';
import { Remark } from '../ui/Remark';

interface Props {
  online: boolean;
  sending: boolean;
  late: boolean;
  unseen?: string | false; // what has to be looked at first
}

/** Why the buttons can't be used now, if they can't. */
export function AnswerNote({ online, sending, late, unseen }: Props) {
  if (sending) {
    return (
      <Remark tone="quiet">
        <Loader size={14} aria-hidden /> {texts.card.sending}
      </Remark>
    );
  }
  if (!online) return <Remark tone="warn">{texts.card.offline}</Remark>;
  if (late) return <Remark tone="quiet">{texts.card.timeUpDetail}</Remark>;
  if (unseen) return <Remark tone="warn">{unseen}</Remark>;
  return null;
}
