import { Button, type ButtonProps, type DrawerProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Drawer } from './dialogs';

interface Props extends Pick<DrawerProps, 'title' | 'size' | 'padding' | 'returnFocus' | 'styles'> {
  button: ButtonProps & { [attribute: `aria-${string}` | `data-${string}`]: unknown };
  closeLabel: string;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
}

/** A button and what it draws in from the right, which lies over the page, so that it never moves a card. */
export function DrawerButton({ button, closeLabel, onOpen, children, ...drawer }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const press = () => {
    onOpen?.();
    open();
  };
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" {...button} onClick={press} />
      <Drawer
        {...drawer}
        opened={opened}
        onClose={close}
        position="right"
        closeButtonProps={{ 'aria-label': closeLabel }}
      >
        {children(close)}
      </Drawer>
    </>
  );
}
