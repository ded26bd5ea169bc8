import { expect } from '@playwright/test';
import { ask } from './ask';
import { shot, test } from './gateway';

import { card } from './page';

// What was measured when the dashboard was judged from outside, and what it has to keep to.

test('a first visit takes at most 300 kB on the wire, of it 200 kB of script', async ({
  browserOf,
  gateway,
}, testInfo) => {
  await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to: 'staging' } });
  const page = await browserOf.newPage();
  const line = await page.context().newCDPSession(page);
  const types = new Map<string, string>();
  const bytes = { all: 0, script: 0 };
  line.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength;
    if (types.get(requestId) === 'Script') bytes.script += encodedDataLength;
  });
  await line.send('Network.enable');
  await line.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.goto(`${gateway.url}approvals`);
  await expect(card(page)).toBeVisible();
  testInfo.annotations.push({ type: 'bytes', description: JSON.stringify(bytes) });
  console.log(`a first visit: ${bytes.all} bytes, of it ${bytes.script} of script`);
  expect(bytes.all).toBeGreaterThan(100_000);
  expect(bytes.all).toBeLessThan(300_000);
  expect(bytes.script).toBeLessThan(200_000);
});

const line =
  `kubectl --context prod ${Array.from({ length: 40 }, (_, i) => `delete pod/worker-${i}`).join(' ')}`.slice(
    0,
    700,
  );
const requests: Record<string, { toolName: string; args: Record<string, string> }> = {
  'uname -a': { toolName: 'Bash', args: { command: 'uname -a' } },
  deploy: { toolName: 'deploy', args: { service: 'payments', to: 'production', version: '1.42.0' } },
  'a long line': { toolName: 'Bash', args: { command: line } },
  'a long text': {
    toolName: 'Write',
    args: { file_path: '/srv/a.txt', content: 'a line of text\n'.repeat(300) },
  },
};
const sizes = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 375, height: 812 },
];

for (const [name, request] of Object.entries(requests)) {
  test(`the request and its answer buttons are on the first screen: ${name}`, async ({
    browserOf,
    gateway,
  }) => {
    const id = await ask(browserOf, gateway, { client: 'deployer', ...request });
    const page = await browserOf.newPage();
    for (const size of sizes) {
      await page.setViewportSize(size);
      await page.goto(`${gateway.url}requests/${id}`);
      const one = card(page);
      await expect(one).toBeVisible();
      await shot(page, `first-screen-${name.replaceAll(' ', '-')}-${size.width}`);
      const bar = one.getByTestId('answer-bar');
      for (const part of [
        one.getByRole('heading', { level: 2 }), // who asks, for which tool
        bar.getByText(/^Denied automatically at /),
        bar.getByRole('button', { name: 'Deny', exact: true }),
        bar.getByRole('button', { name: /^(Approve once|Read to the end)/ }),
      ]) {
        await expect(part).toBeInViewport({ ratio: 1 });
      }
      await expect(one.getByText(/uname -a|production|kubectl|a line of text/).first()).toBeInViewport();
    }
  });
}

test('the dashboard can be installed', async ({ browserOf, gateway }) => {
  const page = await browserOf.newPage();
  await page.goto(gateway.url);
  const line = await page.context().newCDPSession(page);
  const { errors, data } = await line.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? '') as { icons: { src: string }[] };
  for (const { src } of manifest.icons) {
    const icon = await page.request.get(new URL(src, gateway.url).href);
    expect(icon.status()).toBe(200);
    expect(icon.headers()['content-type']).toMatch(/^image\//);
  }
  for (const missing of ['/assets/nope.js', '/favicon.ico', '/nothing']) {
    expect((await page.request.get(new URL(missing, gateway.url).href)).status()).toBe(404);
  }
});
