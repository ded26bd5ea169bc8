import { useState } from 'react';
import { confirmationFor } from '../request/risk';
import { wordToType } from '../request/wordToType';
import type { ApprovalRequest } from '../wire/wire';

export interface ConfirmationState {
  /** Whether the button has to be held. */
  holds: boolean;
  /** What has to be written first; undefined where nothing has. */
  name: string | undefined;
  typed: string;
  type: (text: string) => void;
  confirmed: boolean;
  /** For those who can't hold a button: it is confirmed by writing. */
  typeInstead: () => void;
}

/** What it takes to approve a request, and how far a person has got with it. */
export function useConfirmation(request: ApprovalRequest): ConfirmationState {
  const confirmation = confirmationFor(request);
  const [typed, type] = useState('');
  const [instead, setInstead] = useState(false);
  const name = confirmation === 'typed' || instead ? wordToType(request) : undefined;
  return {
    holds: confirmation === 'hold' && !instead,
    name,
    typed,
    type,
    confirmed: name === undefined || typed.trim() === name,
    typeInstead: () => setInstead(true),
  };
}
