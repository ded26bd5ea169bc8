import type { ReactNode } from 'react';
import { DecisionButton, HoldDecisionButton } from './DecisionButton';
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
  return <DecisionButton {...rest} disabled={disabled || !confirmation.confirmed} />;
}
