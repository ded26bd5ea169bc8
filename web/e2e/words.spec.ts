import { expect } from '@playwright/test';
import { shots, test } from './gateway';
import { begin, box, card, decision, ready, say, tab } from './page';

const note = '[data-testid="said-note"]';

test('words in the box answer the one that waits; talk goes to the agent', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: echo one');
  await ready(page.getByRole('button', { name: 'Approve once' }));
  await say(page, 'deny: not on a Friday');
  await expect(decision(page)).toContainText('not on a Friday');
  await expect(page.locator(note)).toHaveText('Your message was used as an answer: denied: shell');
  await expect(box(page)).toHaveValue('');
  await expect(card(page)).toHaveCount(0);

  await say(page, 'run: echo two');
  await ready(page.getByRole('button', { name: 'Approve once' }));
  await say(page, 'what is this for?');
  await expect(page.getByRole('log').getByText('what is this for?')).toBeVisible();
  await expect(card(page)).toHaveCount(1);
  await say(page, 'approve');
  await expect(decision(page).last()).toContainText('Approved by');
});

test('where several wait, words decide nothing: they stay in the box, and what they need is told', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'both');
  await expect(card(page)).toHaveCount(2);
  await ready(page.getByRole('button', { name: 'Deny' }).first());
  await say(page, 'deny');
  await expect(page.locator(note)).toContainText('Several requests wait');
  await expect(box(page)).toHaveValue('deny');
  await expect(card(page)).toHaveCount(2);
  await shots(page, 'words-kept');
  const id = (await card(page).first().getAttribute('data-approval'))!;
  await say(page, `deny ${id}: no`);
  await expect(card(page)).toHaveCount(1);
  await expect(box(page)).toHaveValue('');
  await expect(page.getByText(/^deny/)).toHaveCount(0);
});
