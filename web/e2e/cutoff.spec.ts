import { expect } from '@playwright/test';
import { shots, test as base } from './gateway';
import { begin, card, tab } from './page';
import { Provider, said } from './provider';

const call = (command: string) => ({
  tool_calls: [
    { id: 'c1', type: 'function', function: { name: 'shell', arguments: JSON.stringify({ command }) } },
  ],
});

const test = base.extend({
  modelURL: async ({}, use) => {
    const usage = { prompt_tokens: 400, completion_tokens: 100 };
    const provider = await Provider.start([said(call('rm old.txt'), 'length', usage)]);
    await use(provider.url);
    provider.end();
  },
});

test('a call of a reply that was cut off says on its card that calls may be missing', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'told', 'Remove the old file and make a new one.');
  await expect(card(page)).toContainText('The model’s reply was cut off; calls may be missing.');
  await shots(page, 'cut-off');
});
