import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from './texts';

interface Props {
  children: string;
  label?: string; // which one, for who hears the page
  danger?: boolean;
  onConfirm: () => void;
}

/** The second press does it; a press elsewhere takes the first back. */
export function ConfirmButton({ children, label, danger = false, onConfirm }: Props) {
  const [sure, setSure] = useState(false);
  return (
    <Button
      size="xs"
      variant={sure ? 'filled' : 'default'}
      color={sure ? 'red.9' : undefined}
      c={danger && !sure ? 'var(--lc-no)' : undefined}
      aria-label={sure ? undefined : label}
      onClick={() => {
        setSure(!sure);
        if (sure) onConfirm();
      }}
      onBlur={() => setSure(false)}
    >
      {sure ? texts.accessPage.confirm(children) : children}
    </Button>
  );
}
