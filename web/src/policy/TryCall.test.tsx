import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { page, storeOf } from '../test/page';
import { TryCall } from './TryCall';

it('asks about the arguments as they are written, to the last digit', async () => {
  const bodies: string[] = [];
  vi.stubGlobal('fetch', (_: string, init: { body: string }) => {
    bodies.push(init.body);
    return Promise.resolve(new Response(JSON.stringify({ effect: 'ask' }), { status: 200 }));
  });
  page(storeOf(), <TryCall agentId="de“mo" tools={[{ name: 'transfer', location: 'server' }]} />);
  const args = '{ "account": 12345678901234567890, "amount": 1.50 }';
  fireEvent.change(screen.getByLabelText('Arguments (JSON)'), { target: { value: args } });
  fireEvent.submit(screen.getByLabelText('Arguments (JSON)').closest('form')!);
  await vi.waitFor(() => expect(bodies).toHaveLength(1));
  expect(bodies[0]).toContain(args);
  expect(JSON.parse(bodies[0]!)).toMatchObject({ agentId: 'de“mo', toolName: 'transfer' });
});
