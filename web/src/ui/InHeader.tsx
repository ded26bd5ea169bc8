import { createContext, useContext, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

// Null until the header is there; undefined where there is none.
const Slot = createContext<HTMLElement | null | undefined>(undefined);

/** Gives the pages below it their place in the header. */
export const HeaderSlot = Slot.Provider;

/** What a page shows in the header: its title, and what belongs to the whole page. */
export function InHeader({ children }: { children: ReactNode }) {
  const slot = useContext(Slot);
  if (slot === undefined) return children;
  return slot && createPortal(children, slot);
}
