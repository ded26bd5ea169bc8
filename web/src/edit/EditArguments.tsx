import { Button, Modal } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { EditDialog } from './EditDialog';

interface Props {
  request: ApprovalRequest;
  args: Record<string, unknown>;
  unseen: string | false;
}

/** Opens the arguments for changing. What is typed stands in the store until the request is answered. */
export function EditArguments({ request, args, unseen }: Props) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const t = texts.edit;
  return (
    <>
      <Button
        type="button"
        size="compact-sm"
        variant="subtle"
        color="gray"
        disabled={unseen !== false}
        leftSection={<IconPencil size={15} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t.open}
      </Button>
      <Modal
        opened={open}
        onClose={close}
        size={1080}
        lockScroll={false}
        closeOnClickOutside={false}
        title={t.title(request.toolName ?? '')}
        closeButtonProps={{ 'aria-label': t.back }}
      >
        <EditDialog request={request} args={args} onBack={close} />
      </Modal>
    </>
  );
}
