import { expect, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { change, read } from './ask';
import { shot, shots, test } from './gateway';
import { accessible } from './look';
import { begin, box, card, decision, press, say, show, tab, reasonField } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const words = (page: Page) => page.getByTestId('assistant').last();
const log = (page: Page) => page.getByRole('log');
const menu = (page: Page) => button(page, 'More about this session');
const idle = (page: Page) => expect(page.getByRole('main').getByText('Done').first()).toBeVisible();

interface Journal {
  session: { sessionId: string };
  events: { seq: number; type: string }[];
}

const sessionOf = (page: Page) => decodeURIComponent(page.url().split('/sessions/')[1]!);

/** What a click makes the browser save. */
async function saved(page: Page, item: string): Promise<{ name: string; text: string }> {
  await menu(page).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

test('a message is formatted, and nothing in it runs, loads or hides', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  const asked: string[] = [];
  page.on('request', (r) => asked.push(r.url()));
  await begin(page, 'guide', 'report');
  await idle(page);
  const message = words(page);
  await expect(message.getByRole('table')).toContainText('passed');
  await expect(message.getByRole('list').first()).toBeVisible();
  await expect(message.locator('pre')).toContainText('kubectl apply');

  const link = message.getByRole('link', { name: 'the run' });
  await expect(link).toHaveAttribute('href', 'https://ci.example.org/runs/214');
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(message).toContainText('the run (ci.example.org)');
  await link.hover();
  await expect(page.locator('[data-link]')).toHaveText('Leads to https://ci.example.org/runs/214');

  await expect(message.getByRole('link', { name: 'this' })).toHaveCount(0);
  await expect(message).toContainText('this (javascript:alert(1))');
  await expect(message).toContainText('<b onclick="alert(1)">bold</b>');
  await expect(message.locator('img, b, script')).toHaveCount(0);
  await expect(message.getByRole('link', { name: 'Image: a map' })).toBeVisible();
  await expect(message.locator('mark')).toHaveText('⟨U+202E⟩');
  expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
  await page.mouse.move(0, 0);
  await shots(page, 'markdown');

  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Show raw messages' }).click();
  await expect(message).toContainText('# How it went');
  await expect(message).toContainText('![a map](https://images.example.org/map.png)');
  await page.reload();
  await expect(words(page)).toContainText('# How it went');
});

test('what is being written is formatted as it comes', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'report');
  const partial = page.getByTestId('partial');
  await expect(partial.locator('strong')).toHaveText('build'); // and the end is not there yet
  await expect(partial).toBeVisible();
  await expect(words(page).locator('blockquote')).toContainText('Nothing was changed');
  await expect(partial).toHaveCount(0);
});

test('a call tells who answered, after how long, and how long it ran; the timeline leads there', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: sleep 0.2');
  await press(button(page, 'Approve once'));
  await expect(decision(page)).toContainText(/Approved by \S+/);
  await expect(decision(page)).toContainText(/after [\d.]+ s/);
  await expect(page.getByTestId('result')).toContainText(/took 0\.[2-9]\d* s|took [1-9]/);
  await say(page, 'run: uname -a');
  await (await reasonField(page)).fill('not now');
  await press(button(page, 'Deny'));
  await expect(decision(page).nth(1)).toContainText('Denied by');
  // If the message arrived during the previous turn, both calls belong to one turn.
  await expect(page.getByRole('main').getByText(/^Ended, (its call was|1 call) denied$/)).toBeVisible();

  await button(page, 'Timeline').click();
  const line = page.getByTestId('timeline');
  await expect(line).toContainText(/Session started by/);
  await expect(line).toContainText('Asked: sleep 0.2');
  await expect(line).toContainText(/Approved by \S+, after/);
  await expect(line).toContainText(/Result from shell, took/);
  await expect(line).toContainText('shell did not run');
  await shots(page, 'timeline');
  await line
    .getByRole('button', { name: /^.*Asked: sleep 0.2/ })
    .first()
    .click();
  await expect(line).toHaveCount(0);
  await expect(page.locator('[data-item]:focus')).toContainText('sleep 0.2');
});

test('the journal and the conversation are taken along as files', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', "run: echo '```' and more");
  await press(button(page, 'Approve once'));
  await expect(page.getByTestId('result')).toHaveCount(1);
  await idle(page);
  const journal = await saved(page, 'Export journal (JSON)');
  const { session, events } = JSON.parse(journal.text) as Journal;
  expect(session.sessionId).toBe(sessionOf(page));
  expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
  expect(events.map((e) => e.type)).toEqual(
    expect.arrayContaining(['message.user', 'approval.requested', 'approval.resolved', 'tool.result']),
  );
  const said = await saved(page, 'Export conversation (Markdown)');
  expect(said.name).toMatch(/\.md$/);
  expect(said.text).toContain('### Call: shell');
  expect(said.text).toMatch(/\*\*Approved by \S+\*\*/);
  expect(said.text).toContain('````\n'); // longer than any fence inside
});

test('the box brings back what was said, and keeps what is typed over a reload', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'first words');
  await idle(page);
  await say(page, 'second words');
  await expect(page.getByText('second words')).toHaveCount(1);
  await box(page).press('ArrowUp');
  await expect(box(page)).toHaveValue('second words');
  await box(page).press('ArrowUp');
  await expect(box(page)).toHaveValue('first words');
  await box(page).press('ArrowUp');
  await expect(box(page)).toHaveValue('first words');
  await box(page).press('ArrowDown');
  await box(page).press('ArrowDown');
  await expect(box(page)).toHaveValue('');
  await box(page).fill('half a th');
  await box(page).press('ArrowUp');
  await expect(box(page)).toHaveValue('half a th');
  await page.reload();
  await expect(box(page)).toHaveValue('half a th');
  await show(page, 'new/demo');
  await expect(box(page)).toHaveValue('');
  const other = await tab(browserOf, gateway, new URL(page.url()).pathname.slice(1));
  await expect(box(other)).toHaveValue('');
});

test('what is typed on a card is there after a reload, and gone once it is sent', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await (await reasonField(page)).fill('ask ops');
  await page.reload();
  await expect(page.getByLabel(/Reason for denying/)).toHaveValue('ask ops');
  await press(button(page, 'Deny'));
  await expect(decision(page)).toContainText('ask ops');
  expect(await page.evaluate(() => sessionStorage.getItem('lineclear.drafts'))).toBeNull();
});

test('a session is ended for good, after a question', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toBeVisible();
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'End session…' }).click();
  await button(page, 'Keep it open').click();
  await expect(card(page)).toBeVisible();
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'End session…' }).click();
  await button(page, 'End session').click();
  await expect(card(page)).toHaveCount(0);
  await expect(page.getByText(/^Session stopped by/)).toBeVisible();
  await expect(box(page)).toHaveCount(0);
});

test('a session of many events stays small in the page', { tag: '@long' }, async ({ browserOf, gateway }) => {
  const calls = Number(process.env['CALLS'] ?? 200);
  test.setTimeout(120_000 + calls * 400);
  const page = await tab(browserOf, gateway);
  const { agents } = await read<{ agents: { agentId: string; modeVersion: number }[] }>(
    browserOf,
    gateway,
    'api/agents',
  );
  const { modeVersion: version } = agents.find((a) => a.agentId === 'many')!;
  await change(browserOf, gateway, 'PUT', 'api/agents/many/mode', { mode: 'auto-approve', version });
  await begin(page, 'many', 'the very first words');
  await idle(page);
  const session = async () => {
    const path = `api/sessions/${encodeURIComponent(sessionOf(page))}`;
    return read<{ seq: number; turnOpen: boolean }>(browserOf, gateway, path);
  };
  for (let done = 0; done < calls; done += 100) {
    const { seq } = await session();
    await say(page, `list .\n`.repeat(100).trim());
    // Each call is asked for, answered by the mode, and gives a result.
    await expect
      .poll(async () => ((await session()).turnOpen ? 0 : (await session()).seq - seq), { timeout: 120_000 })
      .toBeGreaterThan(300);
    // A tab that falls behind is cut off, and comes back by itself.
    await idle(page);
    await expect(page.getByTestId('connection')).toContainText('Connected');
  }
  await expect(words(page)).toBeVisible();
  const counted = () => page.getByTestId('call').or(page.getByTestId('assistant')).count();
  expect(await counted()).toBeLessThan(200);

  const started = Date.now();
  await page.reload();
  await expect(words(page)).toBeVisible();
  const took = Date.now() - started;
  const { seq: events } = await session();
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  console.log(`${events} events: on the screen ${took} ms after a reload, in ${elements} elements`);
  expect(await counted()).toBeLessThan(200);
  await expect(button(page, 'Jump to latest')).toHaveCount(0);
  await log(page).evaluate((box) => box.scrollTo({ top: 0 }));
  await expect(page.getByText('the very first words').last()).toBeVisible();
  expect(await counted()).toBeLessThan(200);
  await button(page, 'Jump to latest').click();
  await expect(button(page, 'Jump to latest')).toHaveCount(0);
  await say(page, 'list .');
  await expect(words(page)).toBeInViewport({ timeout: 30_000 });
});

test('a session has no faults that axe finds', { tag: '@long' }, async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'report');
  await idle(page);
  await say(page, 'form');
  await expect(card(page)).toBeVisible();
  await accessible(page);
  await button(page, 'Timeline').click();
  await expect(page.getByTestId('timeline')).toBeVisible();
  await accessible(page);
});

test('a call that is handed on leads to where it waits, and back', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'many', 'call ask_demo {"task": "run: uname -a"}');
  await press(page.getByRole('button', { name: 'Approve once' }));
  const handed = page.getByTestId('handed-on');
  await expect(handed).toContainText('Needs approval');
  await expect(page.getByTestId('below')).toHaveText('many › demo wants to use shell');
  await expect(card(page)).toContainText('uname -a');
  await expect(card(page)).toContainText('many › demo');
  const above = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'Needs approval' });
  await expect(above).toHaveCount(2);
  await expect(above.nth(1)).toHaveAttribute('data-depth', '1');
  await shots(page, 'handed-on');
  await page.setViewportSize({ width: 1440, height: 900 });
  await handed.getByRole('link', { name: 'demo' }).click();
  await expect(card(page)).toContainText('uname -a');
  await shot(page, 'handed-by');
  await page.getByRole('main').getByText('Handed off by').getByRole('link').click();
  await expect(handed).toBeVisible();
  await press(page.getByRole('button', { name: 'Approve once' }));
  await expect(page.getByTestId('below').last()).toContainText('many › demo, shell: Approved by');
  await expect(card(page)).toHaveCount(0);
  await shots(page, 'handed-answered');
});

test('a session with several waiting requests opens at the first and leads back to it', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'ordered');
  await expect(card(page)).toHaveCount(3);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.reload();
  const first = card(page).first();
  await expect(first.getByRole('heading', { level: 2 })).toBeInViewport({ ratio: 1 });
  await expect(first.getByRole('button', { name: 'Deny' })).toBeInViewport({ ratio: 1 });
  await button(page, 'Jump to latest').click();
  await expect(first).not.toBeInViewport();
  await button(page, '↑ 3 requests waiting').click();
  await expect(first.getByRole('heading', { level: 2 })).toBeInViewport({ ratio: 1 });
  await shot(page, 'session-first-card');
});
