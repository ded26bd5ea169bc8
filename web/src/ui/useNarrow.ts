import { useMediaQuery } from '@mantine/hooks';

/** Whether there is only room for one column. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false });
}
