import { expect, type Page } from '@playwright/test';
import { shot, shots, test } from './gateway';
import { begin, beside, card, decision, press, say, tab } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const asked = (page: Page) => page.getByTestId('client-call');
const words = (page: Page) => page.getByTestId('assistant').last();

test('a question is answered by its form, and the agent’s next words have the answer', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'ask Which port?');
  await expect(card(page)).toContainText('Which port?');
  await page.getByRole('textbox', { name: 'Answer' }).fill('8080, please');
  await press(button(page, 'Send answer'));
  await expect(card(page)).toHaveCount(0);
  await expect(decision(page)).toContainText('Answered by');
  await expect(page.getByTestId('form-answer')).toContainText('8080, please');
  await expect(words(page)).toContainText('8080, please');
});

test('a form keeps what was typed when the gateway finds it wrong, in every tab its own', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'form');
  await expect(card(page)).toContainText('Where should the new service run?');
  await shots(page, 'question');
  const other = await beside(page);
  await expect(card(other)).toBeVisible();
  await page.bringToFront();
  await page.getByLabel(/Port/).fill('80');
  await page.getByRole('radio', { name: 'production' }).check();
  await page.getByLabel('Notes').fill('two\nlines');
  await press(button(page, 'Send answer'));
  await expect(page.getByText(/got 80/)).toBeVisible();
  await expect(page.getByLabel('Notes')).toHaveValue('two\nlines');
  await shots(page, 'question-refused');
  await page.setViewportSize({ width: 375, height: 1600 });
  await shot(page, 'question-whole-375-light');
  await page.setViewportSize({ width: 1440, height: 1400 });
  await shot(page, 'question-whole-1440-light');
  await page.getByLabel(/Port/).fill('8080');
  await press(button(page, 'Send answer'));
  for (const one of [page, other]) {
    await expect(card(one)).toHaveCount(0);
    await expect(decision(one)).toContainText('Answered by');
    await expect(one.getByTestId('form-answer')).toContainText('8080');
    await expect(one.getByTestId('form-answer')).toContainText('production');
  }
  await expect(words(page)).toContainText('"port":8080');
  await shots(page, 'answered');
});

test('declining and dismissing are told apart', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'ask Which port?');
  await page.getByLabel(/Reason for declining/).fill('ask ops');
  await press(button(page, 'Decline'));
  await expect(decision(page)).toContainText('Declined by');
  await expect(words(page)).toContainText(/declined to answer: ask ops/);
  await say(page, 'ask And which host?');
  await press(button(page, 'Dismiss'));
  await expect(decision(page).nth(1)).toContainText('without an answer');
  await expect(words(page)).toContainText(/dismissed the question/);
});

test('a file that would be written is shown as a diff', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  const diff = page.getByTestId('diff');
  await begin(page, 'demo', 'write notes.txt: hello\u202Eolleh');
  await expect(diff).toContainText('Creates notes.txt');
  await expect(diff).toContainText('+hello⟨U+202E⟩olleh');
  await shots(page, 'diff-new');
  await press(button(page, 'Approve once'));
  await expect(page.getByTestId('result')).toHaveCount(1);
  await say(page, 'edit notes.txt: hello => goodbye');
  await expect(card(page).getByTestId('diff')).toContainText('-hello');
  await expect(card(page).getByTestId('diff')).toContainText('+goodbye');
  await shots(page, 'diff');
  await card(page)
    .getByText(/Raw arguments/)
    .click();
  await expect(card(page).getByLabel('Arguments', { exact: true })).toContainText('"new": "goodbye"');
});

test('an agent’s notice is shown, and it is told so', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'notice');
  await expect(asked(page)).toContainText('Notice from guide');
  await expect(words(page)).toContainText('"shown":true');
  await expect(asked(page)).toContainText('214 of 214');
  await shots(page, 'notice');
  await button(page, 'Close this notice').click();
  await expect(asked(page)).toHaveCount(0);
});

test('a link is opened by the person, in a tab that knows nothing of this one', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'link');
  await expect(asked(page)).toContainText('Leads to login.example.org');
  await shots(page, 'link');
  expect(browserOf.pages()).toHaveLength(1);
  const [other, request] = await Promise.all([
    browserOf.waitForEvent('page'),
    browserOf.waitForEvent('request', (r) => r.url().includes('/reset')),
    press(button(page, 'Open')),
  ]);
  expect(new URL(request.url()).host).toBe('login.example.org');
  expect(request.headers()).not.toHaveProperty('referer');
  expect(await other.evaluate(() => window.opener)).toBeNull(); // there is nothing at that address here
  await expect(asked(page)).toHaveCount(0);
  await expect(words(page)).toContainText('"opened":true');
  await page.bringToFront();
  await say(page, 'link');
  await press(button(page, 'Not now'));
  await expect(words(page)).toContainText('the person declined');
});

test('a text is copied by the person, asked for in one tab only', async ({ browserOf, gateway }) => {
  await browserOf.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await tab(browserOf, gateway);
  const other = await tab(browserOf, gateway);
  await page.bringToFront();
  await begin(page, 'guide', 'copy');
  await expect(asked(page)).toContainText('Copy text from guide');
  await expect(asked(other)).toHaveCount(0);
  await shots(page, 'copy');
  await press(button(page, 'Copy'));
  await expect(words(page)).toContainText('"copied":true');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('git push origin main');
});
