import { expect, type Locator, type Page } from '@playwright/test';
import { ask, deny } from './ask';
import { shots, test } from './gateway';
import { card, notes, tab } from './page';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Whether the middle of something, and both of its ends, are what a finger there would touch. */
async function uncovered(what: Locator): Promise<void> {
  await what.scrollIntoViewIfNeeded();
  const free = await what.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const y = (top + bottom) / 2;
    return [left + 4, (left + right) / 2, right - 4].map((x) => {
      const there = document.elementFromPoint(x, y);
      return there !== null && element.contains(there);
    });
  });
  expect(free).toEqual([true, true, true]);
}

test('on a telephone no note covers the title of a dialog, or a button that answers', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'approvals');
  await page.setViewportSize({ width: 375, height: 812 });
  const others: string[] = [];
  for (const to of ['one', 'two', 'three'])
    others.push(
      await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to }, editable: true }),
    );
  const shown = others.shift()!;
  const settle = async () => {
    await deny(browserOf, gateway, others.shift()!, 'not before the freeze of the release is over');
    await expect(notes(page).filter({ hasText: 'Denied by' }).first()).toBeVisible();
  };
  await page.goto(`${gateway.url}requests/${shown}`);
  await expect(card(page)).toHaveCount(1);
  await settle();
  await shots(page, 'note-card', 375);
  await uncovered(page.getByRole('heading', { level: 2 }));
  await uncovered(button(page, 'Approve once'));
  await uncovered(button(page, 'Deny'));

  await button(page, 'Change arguments…').click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await settle();
  await shots(page, 'note-dialog', 375);
  await uncovered(dialog.getByRole('heading').first());
  await uncovered(dialog.getByRole('button', { name: 'Approve' }).first());
});
