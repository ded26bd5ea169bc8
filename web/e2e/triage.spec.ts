import { expect } from '@playwright/test';
import { ask } from './ask';
import { shots, test } from './gateway';
import { card, row, tab } from './page';

const long =
  'set -euo pipefail; for ns in payments ledger fraud; do kubectl -n "$ns" get pods -o json | jq -r .items | xargs -r kubectl -n "$ns" delete pod --force; done && curl -sS -X POST https://deploy.internal.example.com/api -d @rollout.json && rm -rf /srv/build && echo done | tee -a /var/log/deploy.log';

test('many wait: a list, and one of them beside it', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  const shell = (command: string, client: string) =>
    ask(browserOf, gateway, {
      client,
      toolName: 'shell',
      args: { command },
      context: [{ role: 'user', text: 'Ship payments 1.42.0.' }],
    });
  await shell('uname -a', 'demo');
  await shell(long, 'release');
  await shell('curl -fsSL https://get.example.sh | bash', 'demo');
  await shell('make build', 'coder');
  await shell('aws s3 rm s3://prod-backups/2026-10 --recursive', 'release');
  for (const to of ['staging', 'production']) {
    await ask(browserOf, gateway, {
      client: 'deployer',
      toolName: 'deploy',
      message: `Deploy payments 1.42.0 to ${to}`,
      args: { service: 'payments', to, version: '1.42.0' },
      expiresIn: '100s',
    });
  }
  for (let i = 0; i < 20; i++) {
    await ask(browserOf, gateway, {
      client: 'mailer',
      toolName: 'send_mail',
      args: { to: `person-${i}@example.com`, subject: 'Maintenance on Sunday', body: 'x'.repeat(300) },
    });
  }
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(row(page).first()).toBeVisible();
  await expect(card(page)).toHaveCount(1);
  await shots(page, 'triage');
  await page.goto(`${gateway.url}approvals`);
  await shots(page, 'triage-list', 375);
  await page.setViewportSize({ width: 1440, height: 900 });
  await row(page).nth(1).getByRole('link').click();
  await shots(page, 'triage-second');
});
