import { expect, type Locator, type Page } from '@playwright/test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './ask';
import { shot, shots, test } from './gateway';
import { accessible } from './look';
import { answered, begin, card, press, readToEnd, show, tab } from './page';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const box = (page: Page) => page.getByTestId('diff-lines');
const heightOf = async (one: Locator) => (await one.boundingBox())!.height;
const scrollTo = (one: Locator, part: number) =>
  one.evaluate((b, to) => b.scrollTo(0, b.scrollHeight * to), part);

/** A file of 422 lines; 139 of them change. */
const steps = (changed: boolean) =>
  Array.from({ length: 422 }, (_, i) => {
    if (i % 12 < 7) return `// Step ${i} is as it was.`;
    return changed && i % 12 > 7 && i !== 419
      ? `\tout, err = step(ctx, out, ${i})`
      : `\tout = step(out, ${i})`;
  })
    .join('\n')
    .concat('\n');

async function askToRewrite(page: Page, folder: string): Promise<void> {
  writeFileSync(join(folder, 'steps.go'), steps(false));
  const args = { path: 'steps.go', content: steps(true) };
  await begin(page, 'demo', `call write_file ${JSON.stringify(args)}`);
}

test('a long change shows its full counts, keeps the card short, and must be read before it is approved', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  await askToRewrite(page, gateway.folder);
  const diff = page.getByTestId('diff');
  await expect(diff).toContainText('+139 −139');
  await show(page, 'approvals');
  await expect(diff).toContainText('Only the first 24 lines of');
  await readToEnd(page);
  await expect(button(page, 'Approve once')).toBeDisabled();
  await shots(page, 'diff-folded');

  await button(page, 'Show everything').click();
  await expect(box(page)).toBeVisible();
  await expect(button(page, 'Change arguments…')).toBeDisabled();
  expect(await heightOf(card(page))).toBeLessThan(1800);
  await expect(box(page).getByText('Lines 1–5 unchanged')).toBeVisible();
  await shots(page, 'diff-unified');
  await accessible(page);
  await button(page, 'Split').click();
  await expect(box(page).locator('[class*=pair]').first()).toBeVisible();
  await box(page).scrollIntoViewIfNeeded();
  await shots(page, 'diff-split');
  await page.setViewportSize({ width: 1440, height: 900 });
  await accessible(page);
  await button(page, 'Next change').click();
  await button(page, 'Next change').click();
  await expect(diff).toContainText('Change 2 of 35');

  await readToEnd(page, { boxes: false });
  await expect(button(page, 'Approve once')).toBeDisabled();
  await expect(card(page)).toContainText('Scroll the change to its end before approving.');
  await scrollTo(box(page), 0.5);
  await expect(button(page, 'Approve once')).toBeDisabled();
  await scrollTo(box(page), 1);
  await expect(card(page)).not.toContainText('Scroll the change');
  await readToEnd(page);
  await expect(button(page, 'Approve once')).toBeEnabled();
  await press(button(page, 'Approve once'));
  await expect(answered(page)).toBeVisible();
  await expect.poll(() => readFileSync(join(gateway.folder, 'steps.go'), 'utf8')).toBe(steps(true));
});

test('the browser remembers the layout; a narrow page always has one column', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await askToRewrite(page, gateway.folder);
  await button(page, 'Show everything').click();
  await button(page, 'Split').click();
  await page.reload();
  await button(page, 'Show everything').click();
  await expect(button(page, 'Split')).toHaveAttribute('aria-pressed', 'true');
  await page.setViewportSize({ width: 899, height: 900 });
  await expect(button(page, 'Split')).toHaveCount(0);
  await expect(box(page).locator('[class*=pair]')).toHaveCount(0);
  await expect(box(page).locator('ins').first()).toBeVisible();
});

test('unchanged lines can be expanded, and changed words are marked', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  writeFileSync(join(gateway.folder, 'few.go'), steps(false));
  const content = steps(false).replace('out = step(out, 7)', 'out = step(ctx, out, 7)');
  await begin(page, 'demo', `call write_file ${JSON.stringify({ path: 'few.go', content })}`);
  const diff = page.getByTestId('diff');
  await expect(diff).toContainText('+1 −1');
  await expect(diff.locator('ins [class*=word]')).toHaveText('ctx, ');
  await expect(diff).not.toContainText('Step 3 is');
  await diff.getByRole('button', { name: /^Lines 1–4 unchanged/ }).click();
  await expect(diff).toContainText('Step 3 is');
  await expect(button(page, 'Approve once')).toBeEnabled();
});

test('the whole change stays readable in its session and in History after the file has changed', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await askToRewrite(page, gateway.folder);
  await press(button(page, 'Deny'));
  writeFileSync(join(gateway.folder, 'steps.go'), 'nothing of it\n');
  const last = 'out, err = step(ctx, out, 418)';
  for (const route of ['', 'history']) {
    if (route) {
      await show(page, route);
      await page.getByTestId('past').click();
    }
    await expect(page.getByTestId('diff')).toContainText('+139 −139');
    await button(page, 'Show everything').click();
    await scrollTo(box(page), 1);
    await expect(box(page).getByText(last)).toBeVisible();
  }
});

/** Nearly a megabyte of JSON with some 65,000 members. */
const large = {
  name: 'inventory',
  items: Array.from({ length: 6500 }, (_, i) => ({
    id: i,
    title: `Article number ${i} of the inventory`,
    tags: ['one', 'two'],
    stock: { berlin: i % 7, 'new york': i % 11, note: 'checked by hand' },
  })),
};

test(
  'a megabyte of arguments is a searchable tree, and must be read before it is approved',
  { tag: '@long' },
  async ({ browserOf, gateway }) => {
    test.slow(); // much to draw
    expect(JSON.stringify(large).length).toBeGreaterThan(900_000);
    await ask(browserOf, gateway, { client: 'deployer', toolName: 'import', args: large });
    const page = await tab(browserOf, gateway, 'approvals');
    await button(page, 'Show everything').click();
    const tree = page.getByTestId('tree');
    await expect(tree.getByText('"inventory"')).toBeVisible();
    await shots(page, 'tree-large');
    await accessible(page);
    expect(await heightOf(card(page))).toBeLessThan(1500);
    expect(await tree.locator('[data-item]').count()).toBeLessThan(500);

    const search = page.getByLabel('Search names and values');
    await search.fill('number 4321 ');
    await search.press('Enter');
    await expect(card(page).getByText('1 of 1', { exact: true })).toBeVisible();
    await expect(tree.locator('[data-current]')).toContainText('Article number 4321 of the inventory');
    await expect(tree.locator('[data-current]')).toBeInViewport();
    await expect(search).toBeFocused();
    await search.fill('NEW YORK');
    await expect(page.getByText('6,500 matches')).toBeVisible();
    await button(page, 'Next match').click();
    await button(page, 'Next match').click();
    await expect(page.getByText('2 of 6,500')).toBeVisible();
    await browserOf.grantPermissions(['clipboard-read', 'clipboard-write']);
    await tree.locator('[data-current]').hover();
    await tree.locator('[data-current]').getByRole('button').click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('.items[1].stock["new york"]');
    await page.setViewportSize({ width: 1440, height: 900 });
    await shot(page, 'tree-searched');

    await readToEnd(page, { boxes: false });
    await button(page, 'Fold all').click();
    await expect(tree.getByText('6,500 items')).toBeVisible();
    await expect(card(page)).toContainText('1 part is folded and not shown. Unfold everything to approve.');
    await expect(button(page, 'Approve once')).toBeDisabled();
    await button(page, 'Unfold all').click();
    await expect(button(page, 'Approve once')).toBeDisabled();
    await scrollTo(tree, 1);
    await expect(tree.getByText('Article number 6499')).toBeVisible();
    await readToEnd(page);
    await expect(button(page, 'Approve once')).toBeEnabled();
    await button(page, 'Text').click();
    await expect(card(page)).toContainText('JSON');
    expect(await heightOf(card(page))).toBeLessThan(1500);
  },
);
