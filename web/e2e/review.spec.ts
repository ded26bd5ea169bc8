import { expect } from '@playwright/test';
import { ask } from './ask';
import { test } from './gateway';
import { card } from './page';

// What was measured when the dashboard was judged from outside, and what it has to keep to.

test('a first visit takes at most 300 kB on the wire, of it 220 kB of script', async ({
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
  await page.goto(`${gateway.url}#/waiting`);
  await expect(card(page)).toBeVisible();
  testInfo.annotations.push({ type: 'bytes', description: JSON.stringify(bytes) });
  console.log(`a first visit: ${bytes.all} bytes, of it ${bytes.script} of script`);
  expect(bytes.all).toBeGreaterThan(100_000);
  expect(bytes.all).toBeLessThan(300_000);
  expect(bytes.script).toBeLessThan(220_000);
});

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
