import { useMediaQuery } from '@mantine/hooks';

/** Whether there is room for one column only. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false });
}
