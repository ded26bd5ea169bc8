import { expect, type Page } from '@playwright/test';
import { shots, test } from './gateway';
import { accessible } from './look';
import { begin, beside, box, card, decision, press, row, show, tab, reasonField } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const left = (page: Page) => page.getByTestId('countdown');
const fact = (page: Page, name: string) =>
  page
    .getByTestId('facts')
    .locator('div')
    .filter({ has: page.locator('dt', { hasText: name }) })
    .locator('dd');

const secondsOf = async (page: Page) => {
  const [, minutes, seconds] = /(\d+):(\d\d)/.exec(await left(page).innerText())!;
  return Number(minutes) * 60 + Number(seconds);
};

/** From the next connection on, the gateway says that it is of this version. */
async function versions(page: Page): Promise<{ now: string }> {
  const version = { now: '1.0.0' };
  await page.routeWebSocket(/\/ws$/, (ws) => {
    const server = ws.connectToServer();
    ws.onMessage((m) => server.send(m));
    server.onMessage((m) => {
      const frame = JSON.parse(String(m)) as { event: string; data: { version?: string } };
      if (frame.event === 'welcome') frame.data.version = version.now;
      ws.send(JSON.stringify(frame));
    });
  });
  return version;
}

/** Ends the tab's connection, as a gateway that is restarted does; the tab comes back by itself. */
async function reconnect(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.dispatchEvent(new Event('offline'));
    window.dispatchEvent(new Event('online'));
  });
}

test('a tab that has slept for a day wakes with what is, and counts down rightly', async ({
  browserOf,
  gateway,
}) => {
  const asleep = await browserOf.newPage();
  await asleep.clock.install();
  await asleep.goto(`${gateway.url}approvals`);
  await expect(asleep.getByTestId('connection')).toContainText('Connected');
  const awake = await tab(browserOf, gateway);
  await begin(awake, 'demo', 'run: echo one');
  await expect(card(asleep)).toContainText('echo one');

  await gateway.silent(async () => {
    await asleep.clock.fastForward('24:00:00'); // its clock goes on, and nothing is heard
    await asleep.evaluate(() => window.dispatchEvent(new Event('focus')));
  });
  await expect(asleep.getByTestId('offline')).toHaveCount(0, { timeout: 20_000 });
  await begin(awake, 'demo', 'run: echo two');
  await expect(row(asleep)).toHaveCount(2);
  await show(asleep, 'settings');
  await expect(fact(asleep, 'State')).toHaveText('Connected');
  await expect(fact(asleep, 'Reconnects')).not.toHaveText('0 times');
  await expect(fact(asleep, 'The gateway’s clock')).toContainText('behind this machine’s');
  await show(asleep, new URL(awake.url()).pathname.slice(1));
  await expect(card(asleep)).toBeVisible();
  expect(Math.abs((await secondsOf(asleep)) - (await secondsOf(awake)))).toBeLessThan(10);
  await press(button(awake, 'Approve once'));
  await expect(decision(asleep)).toContainText('Approved by');
});

test('an updated gateway is told calmly, and nothing typed is lost', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  const page = await browserOf.newPage();
  const version = await versions(page);
  await page.goto(gateway.url);
  await expect(page.getByTestId('connection')).toContainText('Connected');
  await begin(page, 'demo', 'run: uname -a');
  await (await reasonField(page)).fill('half a reason');
  await box(page).fill('half a thought');
  const bar = page.getByTestId('updated');
  await reconnect(page);
  await expect(page.getByTestId('connection')).toContainText('Connected');
  await expect(bar).toHaveCount(0); // the same version is no news

  version.now = '1.1.0';
  await reconnect(page);
  await expect(bar).toContainText('Lineclear was updated.');
  await expect(bar).toContainText('What you’ve typed is kept');
  await accessible(page);
  await shots(page, 'updated');
  await button(page, 'Reload').click();
  await expect(page.getByTestId('connection')).toContainText('Connected');
  await expect(box(page)).toHaveValue('half a thought');
  await expect(page.getByLabel(/Reason for denying/)).toHaveValue('half a reason');
  await expect(bar).toHaveCount(0);
});

test('an updated gateway reloads a page that nobody types into', async ({ browserOf, gateway }) => {
  const page = await browserOf.newPage();
  const version = await versions(page);
  await page.goto(`${gateway.url}agents`);
  await expect(page.getByTestId('connection')).toContainText('Connected');
  await page.evaluate(() => ((window as unknown as { before: boolean }).before = true));
  version.now = '1.1.0';
  await reconnect(page);
  await expect(page.getByTestId('updated')).toContainText('Reloading');
  await page.waitForFunction(() => !('before' in window), undefined, { timeout: 20_000 });
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible();
  await expect(page.getByTestId('updated')).toHaveCount(0);
});

test('an answer in one tab shows in the other; how soon is printed', async ({ browserOf, gateway }) => {
  const one = await tab(browserOf, gateway);
  await begin(one, 'demo', 'run: uname -a');
  const two = await beside(one);
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    await expect(card(one)).toBeVisible();
    await expect(card(two)).toBeVisible();
    // Both tabs take the time by the same clock: when the button is let go, and when the card is gone.
    const gone = two.evaluate(
      () =>
        new Promise<number>((done) => {
          const look = () => document.querySelector('[data-testid="card"]') ?? done(Date.now());
          new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
        }),
    );
    const pressed = one.evaluate(
      () =>
        new Promise<number>((done) =>
          document.addEventListener('click', () => done(Date.now()), { once: true }),
        ),
    );
    await press(button(one, 'Approve once'));
    times.push((await gone) - (await pressed));
    await expect(two.getByTestId('result')).toHaveCount(round + 1);
    await expect(one.getByRole('main').getByText('Done')).toBeVisible();
    await box(one).fill(`run: echo ${round}`);
    await box(one).press('Enter');
  }
  times.sort((a, b) => a - b);
  console.log(`from the answer in one tab to the change in the other, ms: ${times.join(', ')}`);
});
