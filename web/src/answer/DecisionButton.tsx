import { Button, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../words/texts';
import { useDeliberate } from './arming';
import classes from './answer.module.css';
import shared from '../ui/shared.module.css';
import { useHold } from './useHold';

interface Props {
  armed: boolean;
  /** Asked at each press: whether the button is still where it was. */
  still?: () => boolean;
  disabled: boolean;
  look?: 'deny' | 'aside';
  act: () => void;
  children: ReactNode;
}

/** A button that decides something, and only by a press that was meant for it. */
export function DecisionButton({ armed, still, disabled, look, act, children }: Props) {
  const deliberate = useDeliberate(armed, act, still);
  return (
    <Button
      type="button"
      className={`${classes.button} ${look === 'deny' ? shared.danger : ''}`}
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

interface HoldProps extends Omit<Props, 'look'> {
  onClickWithoutPress: () => void;
}

/** A button for what is risky: it has to be held. It is as wide while it is held as before. */
export function HoldDecisionButton({
  armed,
  still,
  disabled,
  act,
  onClickWithoutPress,
  children,
}: HoldProps) {
  const { holding, short, handlers } = useHold({
    armed: armed && !disabled,
    still,
    act,
    onClickWithoutPress,
  });
  const button = (
    <Button
      type="button"
      className={`${classes.button} ${classes.hold}`}
      classNames={{ label: classes.buttonLabel }}
      disabled={disabled}
      data-armed={armed || undefined}
      title={texts.card.holdNote}
      data-hold
      data-holding={holding || undefined}
      {...handlers}
    >
      <span className={classes.holdFill} aria-hidden />
      {children}
      <span className={classes.holdHint} data-short={short || undefined} aria-hidden>
        {texts.card.hold}
      </span>
    </Button>
  );
  return (
    <>
      {button}
      <VisuallyHidden role="status">{short && texts.card.holdNote}</VisuallyHidden>
    </>
  );
}
