import type { ReactNode } from 'react';
import { DecisionButton, HoldDecisionButton } from './DecisionButton';
import { texts } from '../words/texts';
import classes from './answer.module.css';
import type { ConfirmationState } from './useConfirmation';

interface Props {
  confirmation: ConfirmationState;
  armed: boolean;
  still?: () => boolean;
  disabled: boolean;
  act: () => void;
  children: ReactNode;
}

/** The button that approves, as hard to press as the risk asks for. */
export function ApproveButton({ confirmation, disabled, ...rest }: Props) {
  if (confirmation.holds)
    return (
      <HoldDecisionButton {...rest} disabled={disabled} onClickWithoutPress={confirmation.typeInstead} />
    );
  if (confirmation.confirmed) return <DecisionButton {...rest} disabled={disabled} />;
  return (
    <DecisionButton {...rest} disabled>
      {rest.children}
      <span className={classes.hint} aria-hidden>
        {texts.card.typeFirst}
      </span>
    </DecisionButton>
  );
}
