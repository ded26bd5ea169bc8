import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { page, storeOf } from '../test/page';
import type { Agent } from '../wire/wire';
import { ObserveBanner } from './ObserveBanner';

const agent = (agentId: string, observedUntil?: string): Agent => ({
  agentId,
  kind: 'agent',
  mode: 'manual',
  modeVersion: 1,
  tools: [],
  ...(observedUntil === undefined ? {} : { observedUntil }),
});

it('names the agents that are observed now, and no other', () => {
  const store = storeOf(['viewer']);
  const at = (hours: number) => new Date(Date.now() + hours * 3600_000).toISOString();
  store.dispatch({ type: 'agents', agents: [agent('never'), agent('over', at(-1)), agent('coder', at(1))] });
  page(store, <ObserveBanner />);
  const banners = screen.getAllByRole('alert').map((b) => b.textContent);
  expect(banners).toHaveLength(1);
  expect(banners[0]).toMatch(/^coder is only observed\.Nobody is asked/);
});
