import type { ReactNode } from 'react';
import { Decide, HoldDecide } from './Decide';
import type { Caring } from './useCare';

interface Props {
  care: Caring;
  armed: boolean;
  still?: () => boolean;
  disabled: boolean;
  act: () => void;
  children: ReactNode;
}

/** The button that approves, as hard to press as the risk asks for. */
export function Approve({ care, disabled, ...rest }: Props) {
  if (care.holds) return <HoldDecide {...rest} disabled={disabled} onBare={care.typeInstead} />;
  return <Decide {...rest} disabled={disabled || !care.confirmed} />;
}
