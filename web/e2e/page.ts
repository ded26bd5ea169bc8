import { expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import type { Served } from './gateway';

export const card = (page: Page) => page.getByTestId('card');
export const decision = (page: Page) => page.getByTestId('decision');
export const box = (page: Page) => page.getByLabel('Message to the agent');
export const notes = (page: Page) => page.getByTestId('notes').locator('p');
export const row = (page: Page) => page.getByTestId('row');
/** What replaces a request's card once it is answered. */
export const answered = (page: Page) => page.getByTestId('answered');

/** Navigates like a dashboard link: without reloading the page. */
export const show = (page: Page, path: string) =>
  page.evaluate((p) => {
    history.pushState(null, '', p);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }, `/${path}`);

/** Starts a session by its first message. */
export async function begin(page: Page, agent: string, text: string): Promise<void> {
  await show(page, `new/${agent}`);
  await say(page, text);
  await page.waitForURL(/\/sessions\//);
}

export async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press('Enter');
}

/** A press is taken only once the card has stood still for a moment; what scrolls it there moves it. */
export async function press(button: Locator): Promise<void> {
  await ready(button);
  if ((await button.getAttribute('data-hold')) !== null) await hold(button);
  else await button.click();
}

/** Scrolls long cards to their ends, the first one last: cards that leave the screen may be redrawn. */
export async function readToEnd(page: Page, { boxes = true } = {}): Promise<void> {
  // Long parts have a scroll box of their own.
  for (const box of boxes ? await page.locator('[data-to-read]').all() : []) {
    await box
      .evaluate((b) => b.scrollTo(0, b.scrollHeight), undefined, { timeout: 2000 })
      .catch(() => undefined);
  }
  for (const more of (await page.getByRole('button', { name: 'Read to the end' }).all()).reverse()) {
    await more.dispatchEvent('click', undefined, { timeout: 2000 }).catch(() => undefined); // read in the meantime
  }
}

/** Brings a button that decides into view, and waits until it takes a press. */
export async function ready(button: Locator): Promise<void> {
  await expect(async () => {
    if ((await button.count()) === 0) await readToEnd(button.page());
    expect(await button.count()).toBeGreaterThan(0);
    await button.scrollIntoViewIfNeeded({ timeout: 2000 }); // that of a card before may be going just now
  }).toPass({ timeout: 10_000 });
  // The page has noticed by the second frame.
  await button.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  await expect(button).toHaveAttribute('data-armed', 'true');
}

/** What is risky is held until it is taken. */
async function hold(button: Locator): Promise<void> {
  const { mouse } = button.page();
  await button.hover();
  await mouse.down();
  await expect(button).toHaveAttribute('data-holding', 'true');
  await expect(button.page().locator('[data-holding]')).toHaveCount(0);
  await mouse.up();
}

/** Logs in by a link, as a person does. */
export async function follow(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: /^Log in as/ }).click();
  await expect(page.getByTestId('connection')).toContainText('Connected');
}

export async function tab(browser: BrowserContext, gateway: Served, route = ''): Promise<Page> {
  const page = await opened(browser);
  await page.goto(gateway.url + route);
  await expect(page.getByTestId('connection')).toContainText('Connected');
  return page;
}

/** A page in a window of its own: behind another one in the same window, frames come once a second. */
async function opened(browser: BrowserContext): Promise<Page> {
  const front = browser.pages().at(-1);
  if (!front) return browser.newPage();
  const page = browser.waitForEvent('page');
  await front.evaluate(() => void window.open('about:blank', '', 'popup,noopener'));
  return page;
}

/** A second tab on what the first shows. */
export async function beside(page: Page): Promise<Page> {
  const other = await opened(page.context());
  await other.goto(page.url());
  return other;
}

/** The field for the reason of a denial; opens it first if needed. */
export async function reasonField(page: Page): Promise<Locator> {
  const open = page.getByRole('button', { name: 'Add reason…' });
  const field = page.getByLabel(/Reason for denying/);
  if ((await field.count()) === 0) await open.first().click();
  return field;
}
