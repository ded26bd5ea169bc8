import { expect, type Page } from '@playwright/test';
import { ask } from './ask';
import { shots, test } from './gateway';
import { accessible } from './look';
import { begin, card, decision, press, row, show, tab } from './page';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const yes = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

test('a halt stops everything in every tab, and an admin lifts it', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toHaveCount(1);
  const other = await tab(browserOf, gateway, 'approvals');
  await expect(card(other)).toHaveCount(1);
  await page.setViewportSize({ width: 375, height: 812 });
  await shots(page, 'before-halt');
  await page.setViewportSize({ width: 375, height: 812 });
  await button(page, 'Open the menu').click();
  await button(page, 'Halt all').click();
  await expect(yes(page, 'Halt everything')).toBeVisible();
  await shots(page, 'halt-confirm');
  await press(yes(page, 'Halt everything'));

  for (const one of [page, other])
    await expect(one.getByTestId('halt')).toContainText('Everything is halted');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(card(page)).toHaveCount(0);
  await expect(decision(page)).toContainText('Not run: halted by owner');
  await expect(card(other)).toHaveCount(0);
  await expect(button(page, 'Halt all')).toHaveCount(0);
  await shots(page, 'halted');
  await accessible(page);

  await page.setViewportSize({ width: 1440, height: 900 });
  await button(page, 'Lift').click();
  await press(yes(page, 'Lift the halt'));
  for (const one of [page, other]) await expect(one.getByTestId('halt')).toHaveCount(0);

  await show(page, 'agents');
  await button(page, 'Halt demo').click();
  await press(yes(page, 'Halt demo'));
  await expect(page.getByTestId('halt')).toContainText('demo is halted');
  await shots(page, 'halted-agent');
});

test('all that waits is withdrawn at once, after it is said how many', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway, 'approvals');
  for (const to of ['one', 'two'])
    await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } });
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toHaveCount(1);
  await button(page, 'More about this session').click();
  await page.getByRole('menuitem', { name: 'Withdraw all requests here…' }).click();
  await press(yes(page, 'Withdraw 1 request'));
  await expect(decision(page)).toContainText('Withdrawn by owner');
  await show(page, 'approvals');
  await expect(row(page)).toHaveCount(2);
  await button(page, 'Withdraw all').click();
  await shots(page, 'withdraw');
  await press(yes(page, 'Withdraw 2 requests'));
  await expect(card(page)).toHaveCount(0);
});
