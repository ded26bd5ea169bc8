import { Button, type ModalProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Modal } from './dialogs';

interface Props extends Pick<ModalProps, 'title' | 'size' | 'closeOnClickOutside'> {
  label: string;
  icon: ReactNode;
  disabled?: boolean;
  closeLabel: string;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
}

/** A quiet button and the dialog that it opens, which lies over the page and moves nothing on it. */
export function DialogButton({
  label,
  icon,
  disabled = false,
  closeLabel,
  onOpen,
  children,
  ...dialog
}: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const press = () => {
    onOpen?.();
    open();
  };
  return (
    <>
      <Button
        type="button"
        size="compact-sm"
        variant="subtle"
        color="gray"
        disabled={disabled}
        leftSection={icon}
        aria-haspopup="dialog"
        onClick={press}
      >
        {label}
      </Button>
      <Modal {...dialog} opened={opened} onClose={close} closeButtonProps={{ 'aria-label': closeLabel }}>
        {children(close)}
      </Modal>
    </>
  );
}
