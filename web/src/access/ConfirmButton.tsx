import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from './texts';

interface Props {
  children: string;
  label?: string; // for screen readers: which one
  danger?: boolean;
  onConfirm: () => void;
}

/** Acts on the second press; losing focus resets it. */
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
