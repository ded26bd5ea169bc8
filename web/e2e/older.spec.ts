import { expect, type Locator, type Page } from '@playwright/test';
import { change } from './ask';
import { shot, test } from './gateway';
import { begin, show, tab } from './page';

const links = (page: Page) => page.getByRole('navigation').locator('a[href^="/sessions/"]');
const older = (part: Page | Locator) => part.getByRole('button', { name: 'Show older sessions' });

test('of sixty sessions every one is reached, by the list and by its address, and an old one comes back by itself', async ({
  browserOf,
  gateway,
}) => {
  const ids: string[] = [];
  for (let n = 1; n <= 60; n++) {
    const data = { agentId: 'demo', title: `Session ${n}` };
    const made = await change(browserOf, gateway, 'POST', 'api/sessions', data);
    ids.push(((await made.json()) as { sessionId: string }).sessionId);
  }
  const page = await tab(browserOf, gateway, 'sessions');
  await expect(links(page)).toHaveCount(50);
  await expect(links(page).first()).toContainText('Session 60');
  await shot(page, 'older-1440-before');
  await older(page).scrollIntoViewIfNeeded();
  await shot(page, 'older-1440-button');

  // By its address.
  await show(page, `sessions/${ids[0]}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Session 1', exact: true })).toBeVisible();
  await expect(links(page)).toHaveCount(51);
  await show(page, 'sessions/none');
  await expect(page.getByText('There is no session at this address.')).toBeVisible();

  // By what happens in it elsewhere.
  await change(browserOf, gateway, 'POST', `api/sessions/${ids[4]}/messages`, { text: 'run: uname -a' });
  const fifth = page.getByRole('navigation').locator(`a[href="/sessions/${ids[4]}"]`);
  await expect(fifth).toContainText('Needs approval');
  await show(page, 'approvals');
  await expect(page.getByTestId('row')).toContainText('Session 5');
  await show(page, 'sessions');

  // By the list.
  await older(page).click();
  await expect(links(page)).toHaveCount(60);
  await expect(older(page)).toHaveCount(0);
  await expect(links(page).last()).toContainText('Session 1');
  await shot(page, 'older-1440-all');

  // After the gateway was away.
  await gateway.kill();
  await gateway.run();
  await expect(page.getByTestId('connection')).toContainText('Connected', { timeout: 20_000 });
  await expect(links(page)).toHaveCount(60);
  await begin(page, 'demo', 'hello');
  await expect(links(page)).toHaveCount(61);

  await page.setViewportSize({ width: 375, height: 812 });
  await show(page, 'sessions');
  await page.reload();
  await older(page).scrollIntoViewIfNeeded();
  await shot(page, 'older-375');
  await older(page).click();
  await expect(older(page)).toHaveCount(0);
});
