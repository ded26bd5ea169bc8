import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDeliberate } from './armed';
import classes from './card.module.css';

interface Props {
  armed: boolean;
  disabled: boolean;
  look?: 'deny' | 'aside';
  act: () => void;
  children: ReactNode;
}

/** A button that decides something, and only by a press that was meant for it. */
export function Decide({ armed, disabled, look, act, children }: Props) {
  const deliberate = useDeliberate(armed, act);
  return (
    <Button
      type="button"
      className={`${classes.button} ${(look && classes[look]) ?? ''}`}
      classNames={{ label: classes.buttonLabel }}
      variant={look ? 'default' : 'filled'}
      disabled={disabled}
      data-armed={armed || undefined}
      {...deliberate}
    >
      {children}
    </Button>
  );
}
