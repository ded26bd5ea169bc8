import { createContext, useContext, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

// Null until the header is mounted; undefined if there is none.
const Slot = createContext<HTMLElement | null | undefined>(undefined);

/** Gives the pages inside it their place in the header. */
export const HeaderSlot = Slot.Provider;

/** What a page shows in the header: its title and page-wide controls. Without a header, shown in place. */
export function InHeader({ children }: { children: ReactNode }) {
  const slot = useContext(Slot);
  if (slot === undefined) return children;
  return slot && createPortal(children, slot);
}
