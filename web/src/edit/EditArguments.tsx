import { IconPencil } from '@tabler/icons-react';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { DialogButton } from '../ui/DialogButton';
import { EditDialog } from './EditDialog';

interface Props {
  request: ApprovalRequest;
  args: Record<string, unknown>;
  unseen: string | false;
}

/** Opens the arguments for changing. What is typed stands in the store until the request is answered. */
export function EditArguments({ request, args, unseen }: Props) {
  const t = texts.edit;
  return (
    <DialogButton
      label={t.open}
      icon={<IconPencil size={15} aria-hidden />}
      disabled={unseen !== false}
      title={t.title(request.toolName ?? '')}
      size={1080}
      closeOnClickOutside={false}
      closeLabel={t.back}
    >
      {(close) => <EditDialog request={request} args={args} onBack={close} />}
    </DialogButton>
  );
}
