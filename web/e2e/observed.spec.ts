import { expect } from '@playwright/test';
import { ask } from './ask';
import { test } from './gateway';
import { accessible, pictures } from './look';
import { card, tab } from './page';

test.use({ config: 'observed.yaml' });

test('every page says that an agent is observed, and the statistics what it would have asked', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'statistics');
  await expect(page.getByTestId('observed')).toContainText('demo is only observed.');
  await ask(browserOf, gateway, { agentId: 'demo', toolName: 'shell', args: { command: 'uname -a' } });
  await page.reload();
  await expect(page.getByRole('group', { name: 'Observed agents' })).toContainText('demo');
  await accessible(page);
  await pictures(page, 'observed');
});

test('a program’s agent is listed and asks, and nobody can talk to it', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway, 'agents');
  await expect(page.getByText('Writes code on this machine.')).toBeVisible();
  await accessible(page);
  await pictures(page, 'agents-external');
  await expect(page.getByRole('button', { name: 'New session' }).first()).toBeVisible();
  await ask(browserOf, gateway, {
    agentId: 'coder',
    toolName: 'Bash',
    args: { command: 'npm test' },
    editable: true,
  });
  await page.goto(`${gateway.url}approvals`);
  await expect(card(page)).toContainText('npm test');
  await expect(card(page).getByRole('button', { name: /Change arguments/ })).toBeVisible();
  await pictures(page, 'external-card');
});
