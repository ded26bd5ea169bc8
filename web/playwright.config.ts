import { defineConfig } from '@playwright/test';

// Chromium features to turn off. The address bar's suggestions run in pages of their own, which took half the time of a
// test. The flag can be given only once, so the list repeats the features that Playwright turns off by default.
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

// Against a real gateway, which each test starts for itself; see e2e/gateway.ts.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/run',
  workers: 3, // every test has a gateway and a browser of its own, and mostly waits
  timeout: 60_000,
  expect: { timeout: 10_000 },
  retries: 0, // what passes only at a second try is to be mended
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    trace: 'off',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${disabledFeatures.join(',')}`,
      ],
    },
  },
});
