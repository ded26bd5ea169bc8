import { expect } from '@playwright/test';
import { ask, change, read } from './ask';
import { test } from './gateway';
import { pictures } from './look';
import { card, tab } from './page';

test('a card names the run of its program, and what is approved for the session holds in it alone', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'approvals');
  const begin = async (name: string) => {
    const response = await change(browserOf, gateway, 'POST', 'api/runs', { client: 'deployer', name });
    return ((await response.json()) as { sessionId: string }).sessionId;
  };
  const deploy = (sessionId: string) =>
    ask(browserOf, gateway, { toolName: 'deploy', args: { to: 'staging' }, sessionId });
  const run = await begin('build-7');
  const first = await deploy(run);
  await expect(card(page)).toContainText('Sent by an API client that calls itself deployer');
  await expect(card(page)).toContainText('Its name for this run: build-7.');
  await pictures(page, 'program-run');
  await change(browserOf, gateway, 'POST', `api/approvals/${first}`, {
    status: 'approved',
    scope: 'session',
    grant: { covers: 'tool' },
  });
  const status = async (id: string) =>
    (await read<{ status: string }>(browserOf, gateway, `api/approvals/${id}`)).status;
  expect(await status(await deploy(run))).toBe('approved');
  const other = await deploy(await begin('build-8'));
  await page.getByTestId('go-on').click();
  expect(await status(other)).toBe('pending');
  await expect(card(page)).toContainText('Its name for this run: build-8.');
});
