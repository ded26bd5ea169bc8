import { expect, type Locator, type Page } from '@playwright/test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shot, shots, test } from './gateway';
import { begin, card, decision, press, say, tab } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const words = (page: Page) => page.getByTestId('assistant').last();
const result = (page: Page) => page.getByTestId('result').last();
const progress = (page: Page) => page.getByTestId('progress');
const asked = (page: Page) => card(page).filter({ hasText: 'an MCP server that served uses' });

const call = (tool: string, args: object = {}) => `call ${tool} ${JSON.stringify(args)}`;

/** The servers are programs, which small machines take their time to start. */
async function approved(page: Page, tool: string): Promise<void> {
  await expect(card(page)).toContainText(tool, { timeout: 30_000 });
  await press(button(page, 'Approve once'));
}

async function check(box: Locator): Promise<void> {
  await box.check();
  await expect(box).toBeChecked();
}

test.use({ config: 'served.yaml' });
test.slow(); // programs that start, and many pictures

test('a server’s tool writes a file once it is approved, and not before', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  const file = join(gateway.folder, 'served.txt');
  await begin(page, 'served', call('files__write_file', { path: 'served.txt', content: 'by a server\n' }));
  await expect(card(page)).toContainText('files__write_file', { timeout: 30_000 });
  await expect(card(page)).toContainText('by a server');
  expect(existsSync(file)).toBe(false);
  await shots(page, 'mcp-call');
  await press(button(page, 'Approve once'));
  await expect(result(page)).toContainText('Successfully wrote');
  expect(readFileSync(file, 'utf8')).toBe('by a server\n');
});

test('a server’s question is answered by its form, and the agent’s next words have the answers', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'served', call('everything__trigger-elicitation-request'));
  await approved(page, 'everything__trigger-elicitation-request');
  await expect(asked(page)).toContainText('everything, an MCP server that served uses, asks');
  await shots(page, 'mcp-question');
  await page.getByLabel('String', { exact: false }).first().fill('Ada Lovelace');
  await page.getByRole('radiogroup', { name: 'Boolean' }).getByLabel('Yes').check();
  await page.getByLabel('String with email format').fill('ada');
  await press(button(page, 'Send answer'));
  await expect(page.getByText('Enter an email address.')).toBeVisible();
  await shots(page, 'mcp-format');
  await page.getByLabel('String with email format').fill('ada@example.org');
  await page.getByLabel('String with uri format').fill('https://example.org/ada');
  await page.getByLabel('String with date format').fill('1815-12-10');
  await page.getByLabel('Integer').fill('12');
  await page.getByLabel('Number in range').fill('2.5');
  await page.getByLabel('Ross').check();
  await check(page.getByLabel('Violin'));
  await page.getByLabel('Green Lantern').check();
  await check(page.getByLabel('Trout'));
  await page.getByLabel('Birds').check();
  await page.setViewportSize({ width: 1440, height: 2600 });
  await shot(page, 'mcp-form-1440-light');
  await page.setViewportSize({ width: 375, height: 3200 });
  await shot(page, 'mcp-form-375-light');
  await page.setViewportSize({ width: 1440, height: 900 });
  await press(button(page, 'Send answer'));
  await expect(card(page)).toHaveCount(0);
  await expect(page.getByTestId('call')).toHaveCount(1);
  await expect(page.getByTestId('server-question')).toContainText('Answered by');
  await expect(page.getByTestId('form-answer')).toContainText('Ada Lovelace');
  for (const answer of [
    'Ada Lovelace',
    '"check": true',
    'ada@example.org',
    'https://example.org/ada',
    '1815-12-10',
    '"integer": 12',
    '"number": 2.5',
    '"untitledSingleSelectEnum": "Ross"',
    'Guitar',
    'Violin',
    'hero-2',
    'fish-1',
    'fish-3',
    'pet-3',
  ]) {
    await expect(words(page)).toContainText(answer);
  }
  await page.getByTestId('server-question').scrollIntoViewIfNeeded();
  await shots(page, 'mcp-answered');
});

test('a server’s question is declined, and the agent hears it', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'served', call('everything__trigger-elicitation-request'));
  await approved(page, 'everything__trigger-elicitation-request');
  await expect(asked(page)).toBeVisible();
  await press(button(page, 'Decline'));
  await expect(page.getByTestId('server-question')).toContainText('Declined by');
  await expect(result(page)).toContainText('User declined');
  await expect(words(page)).toContainText('"action": "decline"');
});

test('a page that a server wants opened is opened by the person, who sees where it leads', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  const url = 'https://login.example.org/device?code=1';
  await begin(
    page,
    'served',
    call('everything__trigger-url-elicitation', { url, message: 'Sign in there.' }),
  );
  await approved(page, 'everything__trigger-url-elicitation');
  await expect(page.getByTestId('page-offer')).toContainText('Leads to login.example.org');
  await expect(asked(page).getByRole('link')).toHaveCount(0);
  await shots(page, 'mcp-page');
  const [other, request] = await Promise.all([
    browserOf.waitForEvent('page'),
    browserOf.waitForEvent('request', (r) => r.url() === url),
    press(button(page, 'Open page')),
  ]);
  expect(request.headers()).not.toHaveProperty('referer');
  expect(await other.evaluate(() => window.opener)).toBeNull(); // there is nothing at that address here
  await page.bringToFront();
  await expect(card(page)).toHaveCount(1); // opening answers nothing
  await press(button(page, 'Accept'));
  await expect(words(page)).toContainText('"action": "accept"');
});

test('a call tells how far it is; when its server dies, it is not said to have failed or worked', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  const tool = 'everything__trigger-long-running-operation';
  await begin(page, 'served', call(tool, { duration: 60, steps: 20 }));
  await approved(page, tool);
  await expect(progress(page)).toContainText('2 of 20', { timeout: 20_000 });
  await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuemax', '20');
  await shots(page, 'mcp-progress');
  gateway.killProgram('server-everything');
  await expect(result(page)).toContainText('what the call did is not known');
  await expect(progress(page)).toHaveCount(0);
  await expect(words(page)).toContainText('what the call did is not known');
  await shots(page, 'mcp-died');
  await say(page, call('everything__echo', { message: 'still here' }));
  await approved(page, 'everything__echo');
  await expect(result(page)).toContainText('Echo: still here');
});

test('a picture that a tool gives is shown', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'served', call('everything__get-tiny-image'));
  await approved(page, 'everything__get-tiny-image');
  const picture = page.getByRole('img', { name: /^Image from everything__get-tiny-image/ });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBe(20);
  await expect(decision(page)).toContainText('Approved by');
  await shots(page, 'mcp-image');
});
