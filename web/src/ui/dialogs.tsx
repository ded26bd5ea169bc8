import type { DrawerProps, ModalProps } from '@mantine/core';
import { lazy, useState, type ComponentType } from 'react';
import { LazyPart } from './LazyPart';

type Parts = typeof import('./dialogParts');

let parts: Parts | undefined;

/** Loads what dialogs are made of, which is not part of the first load: the first card is there sooner. */
export async function loadDialogs(): Promise<Parts> {
  parts = await import('./dialogParts');
  return parts;
}

/** Mantine's Modal. */
export const Modal = loadedLate<ModalProps>((from) => from.Modal);

/** Mantine's Drawer. */
export const Drawer = loadedLate<DrawerProps>((from) => from.Drawer);

function loadedLate<P extends { opened: boolean }>(pick: (from: Parts) => ComponentType<P>) {
  const Late: ComponentType<P> = lazy(async () => ({ default: pick(await loadDialogs()) }));
  return function Dialog(props: P) {
    const [Part, setPart] = useState<ComponentType<P>>(); // chosen when it is first opened
    if (!Part && props.opened) setPart(() => (parts ? pick(parts) : Late));
    return Part ? (
      <LazyPart>
        <Part {...props} />
      </LazyPart>
    ) : null;
  };
}
